"""A Hugging Face Hub on this machine, for commands that download a model."""

import hashlib
import http.server
import json
import re
import sys
import threading

COMMIT = "0123456789abcdef0123456789abcdef01234567"
RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class Hub:
    """Serves each folder below `folder` as the model `org/NAME`, over HTTP."""

    def __init__(self, folder):
        handler = type("Handler", (Handler,), {"folder": folder})
        self._server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *request):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # which a killed command causes
            super().handle_error(*request)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = None

    def do_GET(self):
        listing = re.fullmatch(r"/api/models/org/(\w+)/revision/\w+\?.*", self.path)
        file = re.fullmatch(r"/org/(\w+)/resolve/\w+/([\w.-]+)", self.path)
        if listing:
            self.answer(200, listing_of(self.folder / listing[1], f"org/{listing[1]}"))
        elif file and (path := self.folder / file[1] / file[2]).is_file():
            self.answer_range(path.read_bytes())
        else:
            self.answer(404, b"", {"X-Error-Code": "EntryNotFound"})

    def answer_range(self, content):
        asked = RANGE.fullmatch(self.headers.get("Range", ""))
        if not asked:
            return self.answer(200, content, {"ETag": etag(content)})
        begin, end = int(asked[1]), min(int(asked[2] or len(content)) + 1, len(content))
        self.answer(206, content[begin:end],
                    {"Content-Range": f"bytes {begin}-{end - 1}/{len(content)}", "ETag": etag(content)})

    def answer(self, status, content, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def listing_of(folder, name):
    files = [{"rfilename": file.name, "size": file.stat().st_size, "blobId": blob_id(file.read_bytes())}
             for file in sorted(folder.iterdir())]
    return json.dumps({"id": name, "sha": COMMIT, "siblings": files}).encode()


def blob_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def etag(content):
    return f'"{blob_id(content)}"'
