"""Serves folders as a bucket of an S3 server, with a delay of each request.

It implements what S3A needs to read tables and to write an index: LIST, HEAD, GET with ranges, PUT,
copies and DELETE. It checks no signatures.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

BUCKET = "lake"
PAGE = 1000
"""The most objects that one LIST returns."""


class Entry(NamedTuple):
    key: str
    size: int
    nanos: int

    @property
    def etag(self) -> str:
        return f'"{self.nanos:x}-{self.size:x}"'


class ObjectStore(ThreadingHTTPServer):
    """A server of folders, which are the first parts of keys.

    Attributes:
        delay: Seconds that each request takes longer.
        requests: The number of requests of each kind so far.
    """

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, folders: dict[str, Path], unchanging: set[str]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self._folders = folders
        self._unchanging = unchanging
        self._listed: dict[str, list[Entry]] = {}
        self._lock = threading.Lock()
        self.delay = 0.0
        self.requests: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def count(self, kind: str) -> None:
        with self._lock:
            self.requests[kind] += 1

    @contextmanager
    def counting(self) -> Iterator[Counter[str]]:
        """Counts the requests that arrive while its block runs, complete after it."""
        before = self.requests.copy()
        found: Counter[str] = Counter()
        yield found
        found.update(self.requests - before)

    def path(self, key: str) -> Path:
        folder, _, name = key.partition("/")
        return self._folders[folder] / name

    def entry(self, key: str) -> Entry | None:
        folder, _, name = key.partition("/")
        if key.endswith("/") or not name or folder not in self._folders:
            return None
        path = self.path(key)
        return entry_of(key, path) if path.is_file() else None

    def entries(self, prefix: str) -> list[Entry]:
        """Returns the objects whose keys begin with a prefix that names a folder, sorted."""
        folder, _, name = prefix.partition("/")
        if folder not in self._folders:
            return []
        with self._lock:
            known = self._listed.get(prefix)
            if known is None:
                root = self._folders[folder] / name
                known = sorted(
                    entry_of(prefix + path.relative_to(root).as_posix(), path)
                    for path in root.rglob("*")
                    if path.is_file() and not path.name.endswith(".crc")
                )
                if folder in self._unchanging:
                    self._listed[prefix] = known
        return known


def entry_of(key: str, path: Path) -> Entry:
    status = path.stat()
    return Entry(key, status.st_size, status.st_mtime_ns)


class Answer(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: ObjectStore

    def do_GET(self) -> None:
        key, query = self._begin("GET")
        if not key:
            self._list(query)
            return
        found = self.server.entry(key)
        if found is None:
            self._error(404, "NoSuchKey")
            return
        first, last = 0, found.size - 1
        header = self.headers.get("Range")
        if header:
            start, _, end = header.removeprefix("bytes=").partition("-")
            first, last = int(start), min(int(end or last), last)
        with open(self.server.path(key), "rb") as file:
            file.seek(first)
            body = file.read(last - first + 1)
        headers = self._headers_of(found)
        if header:
            headers["Content-Range"] = f"bytes {first}-{last}/{found.size}"
        self._send(206 if header else 200, body, headers)

    def do_HEAD(self) -> None:
        key, _ = self._begin("HEAD")
        found = self.server.entry(key)
        if found is None and key:
            self._send(404, b"", {})
        else:
            headers = self._headers_of(found) if found else {}
            self._send(200, b"", headers, length=found.size if found else 0)

    def do_PUT(self) -> None:
        key, _ = self._begin("PUT")
        body = self._body()
        if key.endswith("/"):
            self._send(200, b"", {"ETag": '"0"'})
            return
        path = self.server.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.headers.get("x-amz-copy-source")
        if source:
            _, _, other = unquote(source).lstrip("/").partition("/")
            shutil.copyfile(self.server.path(other), path)
        else:
            path.write_bytes(body)
        etag = entry_of(key, path).etag
        answer = f"<CopyObjectResult><ETag>{escape(etag)}</ETag></CopyObjectResult>"
        self._send(200, answer.encode() if source else b"", {"ETag": etag})

    def do_DELETE(self) -> None:
        key, _ = self._begin("DELETE")
        self._delete(key)
        self._send(204, b"", {})

    def do_POST(self) -> None:
        self._begin("POST")
        for element in ElementTree.fromstring(self._body()).iter():
            if element.tag.endswith("Key") and element.text:
                self._delete(element.text)
        self._send(200, b"<DeleteResult></DeleteResult>", {})

    def _begin(self, method: str) -> tuple[str, dict[str, list[str]]]:
        """Counts and delays the request; returns its key and query."""
        parts = urlsplit(self.path)
        key = unquote(parts.path).lstrip("/").partition("/")[2]
        self.server.count("LIST" if method == "GET" and not key else method)
        time.sleep(self.server.delay)
        return key, parse_qs(parts.query, keep_blank_values=True)

    def _list(self, query: dict[str, list[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        after = query.get("continuation-token", query.get("start-after", [""]))[0]
        most = min(PAGE, int(query.get("max-keys", [str(PAGE)])[0]))
        delimiter = query.get("delimiter", [""])[0]
        items: dict[str, Entry | None] = {}
        for entry in self.server.entries(prefix):
            below = entry.key[len(prefix) :]
            if delimiter and delimiter in below:
                items.setdefault(prefix + below.partition(delimiter)[0] + delimiter)
            else:
                items[entry.key] = entry
        left = [name for name in items if name > after]
        page = left[:most]
        text = [
            f"<ListBucketResult><Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{len(page)}</KeyCount><MaxKeys>{most}</MaxKeys>"
            f"<IsTruncated>{str(len(left) > most).lower()}</IsTruncated>"
        ]
        if len(left) > most:
            text.append(f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>")
        text += [self._item(name, items[name]) for name in page]
        self._send(200, "".join([*text, "</ListBucketResult>"]).encode(), {})

    def _item(self, name: str, entry: Entry | None) -> str:
        if entry is None:
            return f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
        modified = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(entry.nanos // 10**9))
        return (
            f"<Contents><Key>{escape(name)}</Key><LastModified>{modified}</LastModified>"
            f"<ETag>{escape(entry.etag)}</ETag><Size>{entry.size}</Size>"
            "<StorageClass>STANDARD</StorageClass></Contents>"
        )

    def _headers_of(self, entry: Entry) -> dict[str, str]:
        modified = formatdate(entry.nanos // 10**9, usegmt=True)
        return {"ETag": entry.etag, "Last-Modified": modified, "Accept-Ranges": "bytes"}

    def _body(self) -> bytes:
        """Returns the body of a request, without the signatures of its chunks."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return body
        content: list[bytes] = []
        at = 0
        while True:
            end = body.index(b"\r\n", at)
            size = int(body[at:end].partition(b";")[0], 16)
            if size == 0:
                return b"".join(content)
            content.append(body[end + 2 : end + 2 + size])
            at = end + 2 + size + 2

    def _delete(self, key: str) -> None:
        with suppress(FileNotFoundError):
            if not key.endswith("/"):
                os.remove(self.server.path(key))

    def _error(self, status: int, code: str) -> None:
        self._send(status, f"<Error><Code>{code}</Code></Error>".encode(), {})

    def _send(
        self, status: int, body: bytes, headers: dict[str, str], length: int | None = None
    ) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def serving(folders: dict[str, Path], unchanging: set[str]) -> Iterator[ObjectStore]:
    """Starts a server of folders.

    Args:
        folders: The folder of each first part of a key.
        unchanging: Those whose listings the server remembers.
    """
    with ObjectStore(folders, unchanging) as store:
        thread = threading.Thread(target=store.serve_forever, daemon=True)
        thread.start()
        try:
            yield store
        finally:
            store.shutdown()
            with suppress(OSError):
                store.socket.shutdown(socket.SHUT_RDWR)
