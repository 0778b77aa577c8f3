"""Runs the Python, SQL and commands of a page in one session: code_blocks.py PAGE TIMES.

The comment `<!-- not run: reason -->` above a block leaves it out, and `<!-- from Spark 4.0 -->`
runs it on that Spark and newer ones. A comment `# prints: text` in a block expects the text in what
the block prints, and so does each line of a console below a command, where `...` is any text.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spark_sbbf import cli

FENCE = re.compile(
    r"^(?:<!-- (?P<marker>[^\n]*) -->\n)?```(?P<language>python|sql|console)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block at the margin of a page."""

    line: int
    """Number of the line before the code."""
    language: str
    code: str
    marker: str

    def runs_on(self, spark: tuple[int, ...]) -> bool:
        """Returns whether the block runs on this version of Spark.

        Raises:
            ValueError: If the marker has another form, or gives no reason.
        """
        if not self.marker:
            return True
        if re.fullmatch(r"not run: \S.*", self.marker):
            return False
        if oldest := re.fullmatch(r"from Spark (\d+)\.(\d+)", self.marker):
            return spark >= tuple(map(int, oldest.groups()))
        raise ValueError(f"line {self.line}: expected a reason, found '{self.marker}'")


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start("code"))
        yield Block(line, fence["language"], fence["code"], fence["marker"] or "")


def statements(sql: str) -> list[str]:
    """Returns the statements of a block, without comments. Semicolons end lines."""
    plain = re.sub(r"--.*", "", sql)
    return [text.strip() for text in re.split(r";\s*$", plain, flags=re.MULTILINE) if text.strip()]


def run(page: Path, block: Block, names: dict[str, Any]) -> None:
    """Runs a block with the names that earlier blocks have left."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if block.language == "sql":
            for statement in statements(block.code):
                names["spark"].sql(statement).collect()
        elif block.language == "console":
            for command in re.findall(r"^\$ spark-sbbf (.*)", block.code, re.MULTILINE):
                assert cli.main(shlex.split(command)) == 0, command
        else:
            exec(compile("\n" * block.line + block.code, str(page), "exec"), names)
    shown = r"^(?!\$)(.+)" if block.language == "console" else r"# prints: (.*)"
    for expected in re.findall(shown, block.code, re.MULTILINE):
        found = printed.getvalue()
        wanted = ".*".join(map(re.escape, expected.split("...")))
        assert re.search(wanted, found), f"{page}:{block.line}: expected '{expected}' in:\n{found}"


def main(page: Path, times: int) -> None:
    from pyspark import __version__

    spark = tuple(map(int, __version__.split(".")[:2]))
    chosen = [block for block in blocks(page) if block.runs_on(spark)]
    for _ in range(times):
        names: dict[str, Any] = {"__name__": "__main__"}
        for block in chosen:
            run(page, block, names)
    print(f"{len(chosen)} blocks ran {times} times")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
