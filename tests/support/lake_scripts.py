"""Runs the scripts that read tables of a format, and returns what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness import BRIEF, SUPPORT, times

FILES = int(os.environ.get("SBBF_FILES", "100"))
"""The number of files of the largest tables."""
FALSE_FILES = max(1, FILES // 40)
"""The most files that a scan reads although they hold no key, by filters with an FPP of 0.01."""


def run(script: str, package: str, *arguments: str) -> list[dict[str, Any]]:
    """Runs a script, whose other extensions need a JVM of their own; returns what it prints."""
    command = [sys.executable, str(SUPPORT / script), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1800, env={**os.environ, **BRIEF}
    )
    if "unresolved dependency" in done.stderr and "CI" not in os.environ:
        pytest.skip(f"cannot fetch {package}")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def by_case(printed: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns what a script printed by the names of its cases and commands."""
    return {answer.get("case", answer.get("command")): answer for answer in printed}


def check_histories(script: str, package: str, folder: Path) -> None:
    """Runs random histories of tables, with the seed SBBF_SEED."""
    seed = os.environ.get("SBBF_SEED", str(time.time_ns()))
    histories = times(2, in_gate=1)
    printed = run(script, package, str(folder), str(histories), seed)
    counts = [line for line in printed if "queries" in line][-1]
    assert [line for line in printed if "what" in line] == [], f"seed {seed}"
    assert counts["histories"] == histories and counts["pruning"] > 0, f"seed {seed}"
