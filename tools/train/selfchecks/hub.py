"""A model hub on this machine, for the self-checks: it serves folders by name and knows nothing else."""

import hashlib
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0" * 40


class Hub:
    """Serves root/NAME as tiny/NAME while the program runs. url is its address."""

    def __init__(self, root):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.answer(False)

            def do_GET(self):
                self.answer(True)

            def answer(self, body):
                parts = self.path.strip("/").split("/")  # tiny/NAME/resolve/main/FILE
                path = os.path.join(root, parts[1], *parts[4:]) if parts[0] == "tiny" and parts[2:3] == ["resolve"] else ""
                if not os.path.isfile(path):
                    known = len(parts) > 1 and os.path.isdir(os.path.join(root, parts[1]))
                    self.send_response(404)
                    self.send_header("X-Error-Code", "EntryNotFound" if known else "RepoNotFound")
                    self.send_header("X-Repo-Commit", COMMIT)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                with open(path, "rb") as f:
                    data = f.read()
                self.send_response(200)
                self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
                self.send_header("X-Repo-Commit", COMMIT)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if body:
                    self.wfile.write(data)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
