"""A detector in few lines, to be copied: replace score() by your own. docs/process.md says what it reads and writes."""
import json
import sys

SUSPICIOUS = {"ignore", "disregard", "override", "bypass", "reveal", "jailbreak"}


def score(text):
    """P(injection), 0 to 1: the more suspicious words, the higher."""
    found = sum(word.strip(".,:;!?\"'") in SUSPICIOUS for word in text.lower().split())
    return found / (found + 1)


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"id": request["id"], "score": score(request["text"])}
    except Exception as error:  # this text has no score; the next one may have
        answer = {"id": request["id"], "error": repr(error)}
    print(json.dumps(answer), flush=True)
