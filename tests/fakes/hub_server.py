"""A loopback server laid out like Hugging Face and like ModelScope, with switches for what goes wrong.

Large files are redirected to a store under another host name, as both do: `localhost`, where the hub itself
is `127.0.0.1`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived."""

    method: str
    host: str
    path: str
    headers: Message


@dataclass(slots=True)
class FakeHub:
    """What the server has, does wrong and was asked. Quirks name a file and hold until they are taken back.

    `drop`: how many bytes of each following transfer of the file arrive before the connection is lost.
    `flip`: one bit of it is wrong. `cut`: the server has only so many bytes of it. `status`: what every
    request to the hub is answered with instead. `gated`: only who sends this token is served. `no_range`:
    whole files only. `hold`: a transfer of the file stops half way until the server ends. `meanwhile`: what
    happens elsewhere when a transfer of the file begins.
    """

    repo: str
    commits: dict[str, Files]
    heads: dict[str, str]
    address: str = ""
    seen: list[Seen] = field(default_factory=list)
    drop: dict[str, list[int]] = field(default_factory=dict)
    flip: set[str] = field(default_factory=set)
    cut: dict[str, int] = field(default_factory=dict)
    status: int | None = None
    gated: str = ""
    no_range: bool = False
    hold: set[str] = field(default_factory=set)
    meanwhile: dict[str, Callable[[], object]] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)

    def files(self, revision: str) -> Files | None:
        """The files at a branch, tag or commit."""
        return self.commits.get(self.heads.get(revision, revision))

    def transfers(self, path: str) -> list[Seen]:
        """The transfers of a file, those of the store for a large one."""
        ends = {f"/store/{hashlib.sha256(files[path]).hexdigest()}" for files in self.commits.values()}
        return [
            seen
            for seen in self.seen
            if seen.method == "GET"
            and (urlsplit(seen.path).path in ends or (not is_large(path) and _names(seen, path)))
        ]


def _names(seen: Seen, path: str) -> bool:
    query = parse_qs(urlsplit(seen.path).query)
    return seen.path.endswith(f"/{path}") or query.get("FilePath") == [path]


def is_large(path: str) -> bool:
    """Whether the hub keeps the file outside of git."""
    return path.endswith(".safetensors")


@contextlib.contextmanager
def serving(hub: FakeHub) -> Iterator[FakeHub]:
    """The hub behind a loopback address, until the block ends."""
    handler = type("Handler", (_Handler,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        hub.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever).start()
        try:
            yield hub
        finally:
            hub.stopped.set()
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def _answer(self) -> None:
        hub, url = self.hub, urlsplit(self.path)
        host = self.headers["Host"].partition(":")[0]
        hub.seen.append(Seen(self.command, host, self.path, self.headers))
        path = unquote(url.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if stored := re.fullmatch(r"/store/([0-9a-f]{64})", path):
            self._store(stored[1])
        elif hub.status is not None:
            self._json(hub.status, {"error": "as told"})
        elif found := re.fullmatch(r"/api/models/(.+)/revision/(.+)", path):
            self._hf_list(found[1], found[2])
        elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._hf_file(found[1], found[2], found[3])
        elif found := re.fullmatch(r"/api/v1/models/([^/]+/[^/]+)/repo/files", path):
            self._ms_list(found[1], query["Revision"])
        elif found := re.fullmatch(r"/api/v1/models/([^/]+/[^/]+)/repo", path):
            self._ms_file(found[1], query["Revision"], query["FilePath"])
        else:
            self._json(404, {"error": f"nothing at {path}"})

    def _hf_refuses(self, repo: str, revision: str) -> bool:
        """Answer in Hugging Face's way when there is nothing for this caller."""
        hub = self.hub
        if repo != hub.repo:
            self._json(401, {"error": "Invalid username or password."}, {"X-Error-Code": "RepoNotFound"})
        elif hub.gated and self.headers["Authorization"] != f"Bearer {hub.gated}":
            self._json(401, {"error": "gated"}, {"X-Error-Code": "GatedRepo"})
        elif hub.files(revision) is None:
            self._json(404, {"error": f"Invalid rev id: {revision}"}, {"X-Error-Code": "RevisionNotFound"})
        else:
            return False
        return True

    def _hf_list(self, repo: str, revision: str) -> None:
        if self._hf_refuses(repo, revision):
            return
        siblings = []
        for path, content in (self.hub.files(revision) or {}).items():
            entry: dict[str, object] = {
                "rfilename": path,
                "size": len(content),
                "blobId": _git_blob(content),
            }
            if is_large(path):
                sha256 = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
            siblings.append(entry)
        commit = self.hub.heads.get(revision, revision)
        self._json(200, {"id": repo, "modelId": repo, "sha": commit, "siblings": siblings})

    def _hf_file(self, repo: str, revision: str, path: str) -> None:
        if self._hf_refuses(repo, revision):
            return
        content = (self.hub.files(revision) or {}).get(path)
        headers = {"X-Repo-Commit": self.hub.heads.get(revision, revision)}
        if content is None:
            self._json(404, {"error": "Entry not found"}, headers | {"X-Error-Code": "EntryNotFound"})
        elif is_large(path):
            sha256 = hashlib.sha256(content).hexdigest()
            linked = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(len(content))}
            self._redirect(sha256, headers | linked | {"ETag": f'"{sha256}"'})
        else:
            self._send(path, content, headers | {"ETag": f'"{_git_blob(content)}"'})

    def _ms_refuses(self, repo: str, revision: str) -> bool:
        hub = self.hub
        if hub.gated and f"m_session_id={hub.gated}" not in (self.headers["Cookie"] or ""):
            self._json(403, {"Code": 10020101003, "Message": "access denied", "Success": False})
        elif repo != hub.repo or hub.files(revision) is None:
            self._json(404, {"Code": 10010205001, "Message": "not found", "Success": False})
        else:
            return False
        return True

    def _ms_list(self, repo: str, revision: str) -> None:
        if self._ms_refuses(repo, revision):
            return
        entries: list[dict[str, object]] = []
        for path, content in (self.hub.files(revision) or {}).items():
            sha256 = hashlib.sha256(content).hexdigest()
            name = path.rpartition("/")[2]
            entry = {"Name": name, "Path": path, "Size": len(content), "Sha256": sha256, "Type": "blob"}
            entries.append(entry)
        entries.append({"Name": "speech_tokenizer", "Path": "speech_tokenizer", "Type": "tree", "Size": 0})
        self._json(200, {"Code": 200, "Data": {"Files": entries}, "Success": True})

    def _ms_file(self, repo: str, revision: str, path: str) -> None:
        if self._ms_refuses(repo, revision):
            return
        content = (self.hub.files(revision) or {}).get(path)
        if content is None:
            self._json(404, {"Code": 10010205001, "Message": "not found", "Success": False})
        elif is_large(path):
            self._redirect(hashlib.sha256(content).hexdigest(), {})
        else:
            self._send(path, content, {})

    def _store(self, sha256: str) -> None:
        for files in self.hub.commits.values():
            for path, content in files.items():
                if hashlib.sha256(content).hexdigest() == sha256:
                    self._send(path, content, {"ETag": '"multipart-17"', "Accept-Ranges": "bytes"})
                    return
        self._json(404, {"error": "no such object"})

    def _send(self, path: str, content: bytes, headers: dict[str, str]) -> None:
        """The file with whatever the hub has been told to do to it."""
        hub = self.hub
        if path in hub.flip:
            content = content[:-1] + bytes([content[-1] ^ 1])
        content = content[: hub.cut.get(path, len(content))]
        start = 0
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        if wanted and "Accept-Ranges" in headers and not hub.no_range:
            start = int(wanted[1])
            if start >= len(content):
                self._reply(416, {"Content-Range": f"bytes */{len(content)}"}, b"")
                return
            headers |= {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        body = content[start:]
        drops = hub.drop.get(path, [])
        arriving = drops.pop(0) if drops and self.command == "GET" else len(body)
        if self.command == "GET" and path in hub.meanwhile:
            hub.meanwhile[path]()
        held = self.command == "GET" and path in hub.hold
        self._reply(206 if start else 200, headers, body, len(body) // 2 if held else arriving)
        if held:
            hub.stopped.wait()

    def _redirect(self, sha256: str, headers: dict[str, str]) -> None:
        store = self.hub.address.replace("127.0.0.1", "localhost")
        self._reply(302, headers | {"Location": f"{store}/store/{sha256}"}, b"")

    def _json(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json"}
        self._reply(status, kind | (headers or {}), json.dumps(content).encode())

    def _reply(self, status: int, headers: dict[str, str], body: bytes, arriving: int | None = None) -> None:
        """Announce the whole body; when only some of it is to arrive, hang up after that."""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        with contextlib.suppress(ConnectionError):  # the client was interrupted
            self.wfile.write(body[:arriving])
            self.wfile.flush()
        if arriving is not None and arriving < len(body):
            self.close_connection = True


def _git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
