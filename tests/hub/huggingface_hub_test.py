"""The Hugging Face cache: huggingface_hub reads what portatune download wrote, and the other way round.

    python3 tests/hub/huggingface_hub_test.py build/portatune

Needs the package huggingface_hub. Without it the tests are skipped.
"""

import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

COMMAND = sys.argv.pop(1)
NAME = "org/tiny"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_secret"
FILES = {
    "README.md": b"# tiny\n",
    "config.json": b'{"model_type": "bert"}\n',
    "model.safetensors": bytes(range(256)) * 20_000,
    "onnx/model.onnx": b"not read",
    "pytorch_model.bin": b"not read",
    "tokenizer.json": b"{}" * 50_000,
}
READ = ["config.json", "model.safetensors", "tokenizer.json"]


def is_large(name):
    return name.endswith((".safetensors", ".bin", ".onnx"))


def git_hash(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def large_file(content):
    return {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}


def etag(name):
    return large_file(FILES[name])["oid"] if is_large(name) else git_hash(FILES[name])


def siblings():
    for name, content in FILES.items():
        sibling = {"rfilename": name, "size": len(content), "blobId": git_hash(content)}
        if is_large(name):
            sibling["lfs"] = {"sha256": etag(name), "size": len(content), "pointerSize": 130}
        yield sibling


def tree():
    for name, content in FILES.items():
        entry = {"type": "file", "path": name, "size": len(content), "oid": git_hash(content)}
        yield entry | ({"lfs": large_file(content)} if is_large(name) else {})


class Server(http.server.ThreadingHTTPServer):
    """A server on a port of its own. `log` has method, path and Authorization of each request."""

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.log = answer, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.log.append((self.command, self.path, self.headers.get("Authorization")))
        status, headers, body = self.server.answer(urllib.parse.urlsplit(self.path).path)
        begin, end = self.range(len(body))
        if status == 200 and "Range" in self.headers:
            status, headers = 206, headers | {"Content-Range": f"bytes {begin}-{end - 1}/{len(body)}"}
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(end - begin)}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[begin:end])

    do_HEAD = do_GET

    def range(self, size):
        begin, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        return int(begin), min(size, int(last) + 1 if last else size)

    def log_message(self, *arguments):
        pass


class Hub:
    """A Hub with one model, and the server that large files are redirected to."""

    def __init__(self):
        self.storage = Server(lambda path: (200, {"ETag": '"x"'}, FILES[path[1:]]))
        self.server = Server(self.answer)

    def answer(self, path):
        def as_json(value):
            return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()

        if path == f"/api/models/{NAME}/revision/main":
            return as_json({"id": NAME, "sha": COMMIT, "siblings": list(siblings())})
        if path == f"/api/models/{NAME}/tree/{COMMIT}":
            return as_json(list(tree()))
        _, _, name = path.partition(f"/{NAME}/resolve/{COMMIT}/")
        if name not in FILES:
            return 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}, b""
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{etag(name)}"', "Accept-Ranges": "bytes"}
        if not is_large(name):
            return 200, headers, FILES[name]
        headers |= {"X-Linked-Etag": f'"{etag(name)}"', "X-Linked-Size": str(len(FILES[name]))}
        return 302, headers | {"Location": f"{self.storage.url}/{name}"}, b""

    def downloads(self):
        return [path for method, path, _ in self.server.log if method == "GET" and "/resolve/" in path]


def entries(cache):
    """Path -> target of a link or content of a file, without what only huggingface_hub writes."""
    found = {}
    for path in sorted(pathlib.Path(cache).rglob("*")):
        name = path.relative_to(cache).as_posix()
        if name.startswith(".locks") or "/trees" in name or name == "CACHEDIR.TAG" or path.is_dir():
            continue
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes()
    return found


@unittest.skipUnless(importlib.util.find_spec("huggingface_hub"), "needs the package huggingface_hub")
class HuggingFaceHubTest(unittest.TestCase):
    def setUp(self):
        self.hub = Hub()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ours, self.theirs = pathlib.Path(folder.name, "ours"), pathlib.Path(folder.name, "theirs")

    def environment(self, cache, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
        return kept | {
            "HF_ENDPOINT": self.hub.server.url,
            "HF_HUB_CACHE": str(cache),
            "HF_TOKEN": TOKEN,
            "NETRC": "/dev/null",
            "HF_HUB_DISABLE_XET": "1",
        } | more

    def portatune(self, cache, *words, **more):
        done = subprocess.run([COMMAND, *words], env=self.environment(cache, **more), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def huggingface(self, cache, code, **more):
        program = f"from huggingface_hub import *\n{code}"
        done = subprocess.run([sys.executable, "-W", "error", "-c", program], env=self.environment(cache, **more),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def snapshot_download(self, cache, **more):
        return self.huggingface(cache, f"print(snapshot_download('{NAME}', allow_patterns={READ}))", **more)

    def test_both_fill_a_cache_alike(self):
        folder = self.portatune(self.ours, "download", NAME).strip()
        self.snapshot_download(self.theirs)
        self.assertEqual(folder, str(self.ours / "models--org--tiny" / "snapshots" / COMMIT))
        self.assertEqual(entries(self.ours), entries(self.theirs))

    def test_huggingface_hub_reads_what_portatune_wrote(self):
        self.portatune(self.ours, "download", NAME)
        before = self.hub.downloads()
        folder = self.snapshot_download(self.ours, HF_HUB_OFFLINE="1")
        self.assertEqual(self.snapshot_download(self.ours), folder)
        self.assertEqual(self.hub.downloads(), before)
        for name in READ:
            path = self.huggingface(self.ours, f"print(hf_hub_download('{NAME}', '{name}'))", HF_HUB_OFFLINE="1")
            self.assertEqual(pathlib.Path(path.strip()).read_bytes(), FILES[name])
        found = self.huggingface(self.ours, "c = scan_cache_dir(); print(c.size_on_disk, len(c.warnings))")
        self.assertEqual(found.split(), [str(sum(len(FILES[name]) for name in READ)), "0"])

    def test_portatune_reads_what_huggingface_hub_wrote(self):
        self.snapshot_download(self.theirs)
        before = self.hub.downloads()
        folder = self.portatune(self.theirs, "download", NAME).strip()
        self.assertEqual((pathlib.Path(folder) / "config.json").read_bytes(), FILES["config.json"])
        self.assertEqual(self.hub.downloads(), before)
        listed = json.loads(self.portatune(self.theirs, "cache", "ls", "--json"))
        self.assertEqual(listed["revisions"], [{"commit": COMMIT, "refs": ["main"]}])

    def test_portatune_adds_what_huggingface_hub_left_out(self):
        self.huggingface(self.theirs, f"hf_hub_download('{NAME}', 'config.json', revision='{COMMIT}')")
        self.portatune(self.theirs, "download", NAME)
        self.portatune(self.ours, "download", NAME)
        self.assertEqual(entries(self.ours), entries(self.theirs))

    def test_the_token_goes_to_the_hub_alone(self):
        self.portatune(self.ours, "download", NAME)
        self.assertEqual({token for _, _, token in self.hub.server.log}, {f"Bearer {TOKEN}"})
        self.assertEqual({token for _, _, token in self.hub.storage.log}, {None})


if __name__ == "__main__":
    unittest.main()
