"""Reading and editing ``spark-defaults.conf``, the settings of every session of a Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

# A line of java.util.Properties, which Spark reads the file with.
ENTRY = re.compile(r"\s*([^\s=:]+)\s*[=:]?\s*(.*)", re.DOTALL)


class Entry(NamedTuple):
    """One setting, with the half-open range of lines that it stands on."""

    key: str
    value: str
    start: int
    end: int


class SparkDefaults:
    """The settings of a file. Edits touch no other line, and undoing one gives back each byte."""

    def __init__(self, text: str):
        self.lines = text.split("\n")

    @classmethod
    def read(cls, file: Path) -> SparkDefaults:
        """Of a file that is not there: no settings."""
        return cls(file.read_text(encoding="utf-8") if file.is_file() else "")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def settings(self) -> dict[str, str]:
        """Keys to values; of a key that is set twice the last, as in Spark."""
        return {entry.key: entry.value for entry in self._entries()}

    def add(self, key: str, item: str) -> None:
        """Puts an item at the end of a comma-separated list, unless it is in it."""
        entry = self._last(key)
        if entry is None:
            at = len(self.lines) - (self.lines[-1] == "")
            self.lines.insert(at, f"{key} {item}")
        elif item not in items(entry.value):
            line = self.lines[entry.end - 1]
            kept = line.rstrip()
            joint = "," if entry.value.strip() else " "
            self.lines[entry.end - 1] = kept + joint + item + line[len(kept) :]

    def remove(self, key: str, unwanted: Callable[[str], bool]) -> None:
        """Takes items out of a comma-separated list, and the list out where nothing is left."""
        entry = self._last(key)
        going = [item for item in items(entry.value) if unwanted(item)] if entry else []
        if entry is None or not going:
            return
        if len(going) == len(items(entry.value)):
            del self.lines[entry.start : entry.end]
            return
        for item in going:
            alone = rf",{re.escape(item)}(?=\s*(?:,|\\?$))|{re.escape(item)}\s*,\s*"
            for n in range(entry.start, entry.end):
                self.lines[n] = re.sub(alone, "", self.lines[n], count=1)

    def _last(self, key: str) -> Entry | None:
        found = [entry for entry in self._entries() if entry.key == key]
        return found[-1] if found else None

    def _entries(self) -> Iterator[Entry]:
        at = 0
        while at < len(self.lines):
            start, text = at, self.lines[at].strip("\r")
            at += 1
            if not text.strip() or text.lstrip()[0] in "#!":
                continue
            while _continues(text) and at < len(self.lines):
                text = text[:-1] + self.lines[at].strip("\r").lstrip()
                at += 1
            match = ENTRY.fullmatch(text)
            if match:
                yield Entry(match[1], match[2].strip(), start, at)


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def items(listed: str) -> list[str]:
    """The items of a comma-separated list, without blanks around them."""
    return [item.strip() for item in listed.split(",") if item.strip()]


def defaults_file(home: Path) -> Path:
    """The file of settings that the Spark in ``home`` would read, be it there or not."""
    return Path(os.environ.get("SPARK_CONF_DIR") or home / "conf", "spark-defaults.conf")
