"""A client of an HTTP service, to be copied: let score() ask yours. docs/bring-a-detector.md has its entry."""
import json
import os
import sys
import urllib.request

URL = os.environ["SERVICE_URL"]


def score(text):
    """P(injection), 0 to 1, as the service says."""
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(URL, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["score"]


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"id": request["id"], "score": score(request["text"])}
    except Exception as error:  # this text has no score; the next one may have
        answer = {"id": request["id"], "error": repr(error)}
    print(json.dumps(answer), flush=True)
