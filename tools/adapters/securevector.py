"""The scores of SecureVector Guardian (PyPI securevector-guardian-model), standard library only.

python3 securevector.py FOLDER [pipeline]

FOLDER holds the package svguardian. The score is the model's probability of all classes but benign on the whole text;
with `pipeline` it is that of the package's own pipeline, which also looks at windows of long texts, at what is encoded
in them, and at short ones read backwards. Unlike the package's own output it is not rounded.
"""
import json
import os
import sys

sys.dont_write_bytecode = True  # the folder must stay as it was pulled
folder, mode = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.abspath(folder))

from svguardian.model.pure_infer import PureGuardian  # noqa: E402
from svguardian.window import predict_windowed  # noqa: E402


class Guardian(PureGuardian):
    """The model with its score as it is."""

    def predict(self, text):
        shares = zip(self.classes, self._softmax(self._scores(text)))
        score = min(sum(share for name, share in shares if name != self.benign), 1.0)
        return {"malicious_score": score, "verdict": "malicious" if score >= self.threshold else "benign"}


def main():
    guardian = Guardian.load(os.path.join(folder, "svguardian", "_runtime", "guardian.runtime.json.gz"))
    print(json.dumps({"ready": True, "name": "securevector-guardian"}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        text = request["text"]
        result = predict_windowed(guardian, text) if mode == ["pipeline"] else guardian.predict(text)
        print(json.dumps({"id": request["id"], "score": result["malicious_score"]}), flush=True)


main()
