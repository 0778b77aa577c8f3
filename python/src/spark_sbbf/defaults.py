"""Reads and edits ``spark-defaults.conf``, the settings of every session of a Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

# The grammar of java.util.Properties, with which Spark reads the file. A backslash at the end of a
# line continues the line; elsewhere it starts an escape.
JOINT = r"\\(?:\r?\n|\r?\Z)"
GAP = rf"(?:[ \t\f\r]|{JOINT})*"
SIGN = r"(?:\\[^\r\n]|[^\\ \t\f\r\n])"
ENTRY = re.compile(
    rf"{GAP}((?:{JOINT}[ \t\f]*|\\[^\r\n]|[^\\ \t\f\r\n=:])*){GAP}[=:]?{GAP}(.*)", re.DOTALL
)
NO_ENTRY = re.compile(r"[ \t\f]*(?:[#!]|\r?\Z)")
WRITTEN = re.compile(rf"(?:{GAP}{SIGN})*")
ESCAPE = re.compile(rf"{JOINT}[ \t\f]*|\\u([0-9a-fA-F]{{4}})|\\(.)")
ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

# Ends a last line that a backslash continues, which would swallow an added line. Users do not write
# such a line, so that 'remove' can recognise it.
FULL_STOP = " "


class Entry(NamedTuple):
    """One setting with the half-open range of its lines and its value as written."""

    key: str
    value: str
    start: int
    end: int
    written: str


class SparkDefaults:
    """The settings of a file. An edit keeps all other lines; its undo restores every byte."""

    def __init__(self, text: str):
        self.lines = text.split("\n")

    @classmethod
    def read(cls, file: Path) -> SparkDefaults:
        """Reads a file; one that does not exist has no settings."""
        return cls.decode(file.read_bytes() if file.is_file() else b"")

    @classmethod
    def decode(cls, content: bytes) -> SparkDefaults:
        """Reads any bytes. ``encode`` writes bytes that are not UTF-8 unchanged."""
        return cls(content.decode("utf-8", "surrogateescape"))

    def encode(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def settings(self) -> dict[str, str]:
        """Returns keys and values. The last value of a key counts, as in Spark."""
        return {entry.key: entry.value for entry in self._entries() if entry.key}

    def add(self, key: str, item: str) -> None:
        """Appends an item to a comma-separated list, unless the list has it."""
        entry = self._last(key)
        added = item.replace("\\", "\\\\")
        if entry is None or not items(entry.value):  # keeps an empty list and overrides it
            stop = [FULL_STOP] if self._goes_on_at_the_end() else []
            self.lines[self._end : self._end] = [*stop, f"{key} {added}"]
        elif item not in items(entry.value):
            value, rest = _without_gap(entry.written)
            self._rewrite(entry, f"{value},{added}{rest}")

    def remove(self, key: str, unwanted: Callable[[str], bool]) -> None:
        """Removes items from a comma-separated list, and the list itself if it becomes empty."""
        entry = self._last(key)
        parts = entry.written.split(",") if entry else []
        kept = [part for part in parts if not any(map(unwanted, items(_unescaped(part))))]
        if entry is None or len(kept) == len(parts):
            return
        if any(items(_unescaped(part)) for part in kept):
            rest = _without_gap(parts[-1])[1] if kept[-1] != parts[-1] else ""
            self._rewrite(entry, ",".join(kept) + rest)
            return
        stopped = any(other.end == entry.start for other in self._entries())
        if stopped and entry.end == self._end and self.lines[entry.start - 1] == FULL_STOP:
            entry = entry._replace(start=entry.start - 1)
        del self.lines[entry.start : entry.end]

    @property
    def _end(self) -> int:
        """The index after the last line; a newline at the end of the file starts no line."""
        return len(self.lines) - (self.lines[-1] == "")

    def _goes_on_at_the_end(self) -> bool:
        """Returns whether the last line continues. A comment never does."""
        in_entry = any(entry.end == self._end for entry in self._entries())
        return in_entry and _goes_on(self.lines[self._end - 1])

    def _rewrite(self, entry: Entry, written: str) -> None:
        text = "\n".join(self.lines[entry.start : entry.end])
        head = text[: len(text) - len(entry.written)]
        self.lines[entry.start : entry.end] = (head + written).split("\n")

    def _last(self, key: str) -> Entry | None:
        found = [entry for entry in self._entries() if entry.key == key]
        return found[-1] if found else None

    def _entries(self) -> Iterator[Entry]:
        at = 0
        while at < self._end:
            start = at
            at += 1
            if NO_ENTRY.match(self.lines[start]):
                continue
            while _goes_on(self.lines[at - 1]) and at < self._end:
                at += 1
            match = ENTRY.fullmatch("\n".join(self.lines[start:at]))
            assert match  # every part may be empty
            key, value = map(_unescaped, match.groups())
            yield Entry(key, value.strip(), start, at, match[2])


def _goes_on(line: str) -> bool:
    line = line[:-1] if line.endswith("\r") else line
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(written: str) -> str:
    def meant(match: re.Match[str]) -> str:
        code, sign = match.groups(default="")
        return chr(int(code, 16)) if code else ESCAPED.get(sign, sign)

    return ESCAPE.sub(meant, written)


def _without_gap(written: str) -> tuple[str, str]:
    """Returns the value without the blanks at its end, and these blanks."""
    match = WRITTEN.match(written)
    end = match.end() if match else 0
    return written[:end], written[end:]


def items(listed: str) -> list[str]:
    """Returns the items of a comma-separated list, without blanks around them."""
    return [item.strip() for item in listed.split(",") if item.strip()]


def defaults_file(home: Path) -> Path:
    """Returns the path of the settings of the Spark in ``home``, which may not exist."""
    return Path(os.environ.get("SPARK_CONF_DIR") or home / "conf", "spark-defaults.conf")
