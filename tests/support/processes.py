"""JVMs that tests start beside their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark

from connect_server import free_port, listens, until
from harness import BRIEF

HOME = Path(pyspark.__file__).parent
EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
ENVIRONMENT = {
    **os.environ,
    **BRIEF,
    "SPARK_HOME": str(HOME),
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_SUBMIT_OPTS": f"{BRIEF['SPARK_SUBMIT_OPTS']} -Dspark.ui.enabled=false",
}


def finished(
    program: str, *arguments: str, cwd: Path, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HOME / "bin" / program, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=180,
        cwd=cwd,
        env=ENVIRONMENT,
    )


def run(program: str, *arguments: str, cwd: Path) -> str:
    done = finished(program, *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@contextlib.contextmanager
def daemon(folder: Path, program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a program of Spark's in a folder of its own, with its log there, until the end."""
    folder.mkdir()
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            [HOME / "bin" / program, *arguments],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**ENVIRONMENT, "SPARK_WORKER_DIR": str(folder / "work")},
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """The address of a master of two workers, which are two hosts by their names."""
    deploy, port = "org.apache.spark.deploy", free_port()
    address = f"spark://127.0.0.1:{port}"
    master = (f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port))
    worker = (f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0")
    with contextlib.ExitStack() as daemons:
        command = ("spark-class", *master, "--webui-port", "0")
        daemons.enter_context(daemon(folder / "master", *command))
        until(lambda: listens(port), "the master")
        for n, host in enumerate(("127.0.0.1", "localhost"), start=1):
            command = ("spark-class", *worker, "--host", host, address)
            daemons.enter_context(daemon(folder / f"worker-{n}", *command))
        yield address
