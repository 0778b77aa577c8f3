"""A local S3 server that records requests, and can delay or refuse them."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

import pyspark

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BUCKET = "lake"
SDK_OF_HADOOP = {"3.5.0": "2.35.4"}
"""The version of the AWS SDK that S3A needs, by that of Hadoop (its hadoop-project POM)."""
MODULES = ("s3", "s3-transfer-manager", "sts")
REFUSED = (
    b'<?xml version="1.0" encoding="UTF-8"?>'
    b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
)


class Request(NamedTuple):
    """A request to the store: LIST, or a method of HTTP with the key of an object."""

    kind: str
    key: str
    """The key of the object, or the prefix of the listing."""
    extent: str = ""
    """The range of bytes of a GET; empty for the whole object."""


class Store:
    """The application of the server: counts requests, and passes them on to `application`.

    Attributes:
        delay: Seconds that each request takes longer.
        has_millis: Whether listings report fractions of a second, which other answers round.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._recorders: list[list[Request]] = []
        self._refused: str | None = None
        self.delay = 0.0
        self.has_millis = False

    @contextmanager
    def recording(self) -> Iterator[list[Request]]:
        """Records the requests that arrive while its block runs."""
        requests: list[Request] = []
        with self._lock:
            self._recorders.append(requests)
        try:
            yield requests
        finally:
            with self._lock:
                self._recorders = [other for other in self._recorders if other is not requests]

    @contextmanager
    def refusing(self, part: str) -> Iterator[None]:
        """Refuses access to all keys and prefixes with this part while its block runs."""
        self._refused = part
        try:
            yield
        finally:
            self._refused = None

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        request = request_of(environ)
        with self._lock:
            for requests in self._recorders:
                requests.append(request)
        if self.delay > 0:
            time.sleep(self.delay)
        if self._refused is not None and self._refused in f"{request.key}/":
            body = b"" if request.kind == "HEAD" else REFUSED
            headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))]
            start("403 Forbidden", headers)
            return [body]
        answer = self._application(environ, start)
        if not (self.has_millis and request.kind == "LIST"):
            return answer
        # the length stays the same
        return [re.sub(rb"\.000Z</LastModified>", b".123Z</LastModified>", b"".join(answer))]


def request_of(environ: WSGIEnvironment) -> Request:
    """Returns what a request is about. Names of buckets are in its path."""
    _, _, key = unquote(environ["PATH_INFO"]).lstrip("/").partition("/")
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    method = environ["REQUEST_METHOD"]
    if method == "GET" and not key:
        return Request("LIST", query.get("prefix", [""])[0])
    return Request(method, key, environ.get("HTTP_RANGE", "").removeprefix("bytes="))


@contextmanager
def serving() -> Iterator[tuple[Store, str]]:
    """Starts a server with one empty bucket, whose objects are in memory.

    Returns:
        The store, and the URL of the server.
    """
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, code: Any = "-", size: Any = "-") -> None:
            """Logs nothing."""

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    store = Store(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.port}"
    try:
        put(url, "", b"")
        yield store, url
    finally:
        server.shutdown()
        thread.join()


def put(url: str, key: str, content: bytes) -> None:
    """Writes an object into the bucket of a server; without a key, creates the bucket."""
    headers = {"Content-Type": "application/octet-stream"}
    target = f"{url}/{BUCKET}/{key}" if key else f"{url}/{BUCKET}"
    with urlopen(UrlRequest(target, content, headers, method="PUT")):
        pass


def hadoop_version() -> str:
    """Returns the version of Hadoop's client that this pyspark brings along."""
    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    return jar.stem.removeprefix("hadoop-client-api-")


def packages() -> dict[str, str]:
    """Returns settings of a session with S3A, for one of the versions in `SDK_OF_HADOOP`.

    Three modules of the SDK take 15 MB. Their bundle, which S3A names, has all of AWS in 500 MB.
    """
    hadoop = hadoop_version()
    modules = [f"software.amazon.awssdk:{name}:{SDK_OF_HADOOP[hadoop]}" for name in MODULES]
    return {
        "spark.jars.packages": ",".join([f"org.apache.hadoop:hadoop-aws:{hadoop}", *modules]),
        # Spark has a newer Netty
        "spark.jars.excludes": "software.amazon.awssdk:bundle,io.netty:*",
    }


def settings(url: str) -> dict[str, str]:
    """Returns settings of a session that reads and writes `s3a://` paths at a server."""
    s3a = {
        "endpoint": url,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "access.key": "test",
        "secret.key": "test",
    }
    return {f"spark.hadoop.fs.s3a.{key}": value for key, value in s3a.items()}
