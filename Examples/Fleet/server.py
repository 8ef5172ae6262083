# Bluebonnet: HTTP operations for Swift on Linux.
# SPDX-License-Identifier: MIT
"""The server of the fleet's example: a login and items, for whom knows the password. Prints its port."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        known = self.path == "/login" and json.loads(text).get("password") == os.environ["DEMO_PASSWORD"]
        self.answer(200 if known else 403, {"token": "example"} if known else {})

    def do_GET(self):
        known = self.headers.get("Authorization") == "Bearer example"
        self.answer(200 if known else 401, {"item": self.path})

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1])
sys.stdout.flush()
server.serve_forever()
