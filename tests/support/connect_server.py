"""Starts a Spark Connect server with executors, each in its own JVM, and counts its tasks."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyspark

MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"
TIMEOUT = 120


@dataclass(frozen=True)
class Server:
    url: str
    events: Path
    """The folder with the event log of the server's only application."""
    sessions: list[Any] = field(default_factory=list)

    def session(self) -> Any:
        """Makes a new session, which ends with the server."""
        from pyspark.sql.connect.session import SparkSession

        self.sessions.append(SparkSession.builder.remote(self.url).create())
        return self.sessions[-1]

    def tasks_of(self, session: Any, action: Callable[[], Any]) -> tuple[Any, int]:
        """Returns the action's result and the number of tasks that its jobs ran."""
        result, tag = tagged(session, action)
        _, last = tagged(session, lambda: session.range(1).groupBy().count().collect())
        until(lambda: self._jobs(last) and self._jobs(last) <= self._finished(), "the event log")
        stages = {stage for job in self._jobs(tag) for stage in self._started()[job]["Stage IDs"]}
        ends = self._logged("SparkListenerTaskEnd")
        return result, sum(end["Stage ID"] in stages for end in ends)

    def _jobs(self, tag: str) -> set[int]:
        return {
            job
            for job, start in self._started().items()
            if tag in start["Properties"].get("spark.job.tags", "")
        }

    def _started(self) -> dict[int, Any]:
        return {start["Job ID"]: start for start in self._logged("SparkListenerJobStart")}

    def _finished(self) -> set[int]:
        return {end["Job ID"] for end in self._logged("SparkListenerJobEnd")}

    def last_metrics(self, prefix: str) -> dict[str, int]:
        """Returns the last value that drivers sent for each metric whose name has this prefix."""
        names: dict[int, str] = {}

        def remember(node: dict[str, Any]) -> dict[str, Any]:
            if str(node.get("name")).startswith(prefix) and "accumulatorId" in node:
                names[node["accumulatorId"]] = node["name"].removeprefix(prefix)
            return node

        sent: list[list[int]] = []
        for line in self._lines():
            event = json.loads(line, object_hook=remember)
            if event["Event"].endswith(".SparkListenerDriverAccumUpdates"):
                sent += event["accumUpdates"]
        return {names[metric]: value for metric, value in sent if metric in names}

    def _logged(self, event: str) -> list[Any]:
        start = f'{{"Event":"{event}"'
        return [json.loads(line) for line in self._lines() if line.startswith(start)]

    def _lines(self) -> list[str]:
        (log,) = self.events.iterdir()
        return log.read_text(encoding="utf-8").split("\n")[:-1]  # the last may be half a line


@contextlib.contextmanager
def connect_server(folder: Path, *options: str) -> Iterator[Server]:
    """Starts a server with further options of spark-submit, and stops it at the end."""
    events = folder / "events"
    events.mkdir(parents=True)
    port = free_port()
    conf = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(events),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.sql.files.openCostInBytes": "1g",  # one file to a task
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    home = Path(pyspark.__file__).parent
    command = [home / "bin" / "spark-submit", "--master", "local-cluster[2,1,1024]"]
    command += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    command += [*options, "--class", MAIN, "spark-internal"]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    with open(folder / "server.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
    try:
        until(lambda: process.poll() is not None or listens(port), "the server")
        assert process.poll() is None, (folder / "server.log").read_text()[-3000:]
        server = Server(f"sc://localhost:{port}", events)
        try:
            yield server
        finally:
            for session in server.sessions:  # else the client waits for the stopped server
                session.stop()
    finally:
        process.terminate()
        process.wait(TIMEOUT)


def tagged(session: Any, action: Callable[[], Any]) -> tuple[Any, str]:
    tag = f"counted-{uuid4().hex}"
    session.addTag(tag)
    try:
        return action(), tag
    finally:
        session.removeTag(tag)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("localhost", port)) == 0


def until(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, f"{what} took longer than {TIMEOUT} s"
        time.sleep(0.1)
