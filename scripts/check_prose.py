#!/usr/bin/env python3
"""Fails on words and widths that the project's prose does not have: check_prose.py [FILE...].

Reads main sources of the JVM modules, the Python package, the README and the docs. CONTRIBUTING.md
has the rules.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    "jvm/*/src/main/**/*.scala",
    "jvm/*/src/main/**/*.java",
    "python/src/**/*.py",
    "README.md",
    "docs/*.md",
)
BANNED = {
    r"told|tells?|telling": "reports, records, states",
    r"asks?|asked|asking": "evaluates, probes, reads, requests",
    r"trouble": "error, failure",
    r"believed?": "valid, verified, used",
    r"(?<!Spark )stock": "Spark, parquet-mr",
}
WIDEST = {".md": 120}
"""Lines of code are the formatters' business; tables and links may be wider."""


def problems(path: Path) -> list[str]:
    found = []
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.relative_to(ROOT)}:{number}"
        prose = re.sub(r"\]\([^)]*\)", "]", line)  # targets of links aside
        for words, better in BANNED.items():
            found += [
                f"{place}: '{match[0]}' (better: {better})"
                for match in re.finditer(rf"\b(?:{words})\b", prose, re.IGNORECASE)
            ]
        is_code ^= line.startswith("```")
        most = WIDEST.get(path.suffix)
        if most and len(line) > most and not is_code and not line.startswith(("|", "![")):
            found.append(f"{place}: {len(line)} characters, expected at most {most}")
    return found


def main(names: list[str]) -> int:
    tracked = subprocess.run(
        ["git", "ls-files", "-z", *(f":(glob){pattern}" for pattern in SOURCES)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")
    paths = [Path(name).resolve() for name in names] or [ROOT / name for name in tracked if name]
    found = [problem for path in paths for problem in problems(path)]
    print("\n".join(found) or f"{len(paths)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
