"""Tests that the code of the documentation runs as it is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from code_blocks import Block, blocks, statements
from harness import SUPPORT
from processes import ENVIRONMENT

ROOT = Path(__file__).parents[2]
IN_FULL_RUN = (
    "docs/quickstart.md",
    "docs/cookbook.md",
    "docs/table-index.md",
    "docs/adding-filters.md",
)
PAGES = {"README.md": 2, **dict.fromkeys(IN_FULL_RUN, 1)}
"""Pages whose code runs, and how often in one session."""
DEFAULTS = """
spark.master local[2]
spark.ui.enabled false
spark.ui.showConsoleProgress false
spark.driver.memory 2g
spark.sql.shuffle.partitions 4
"""


@pytest.mark.parametrize(
    "page", ["README.md", *(pytest.param(page, marks=pytest.mark.full) for page in IN_FULL_RUN)]
)
def test_the_code_of_a_page_runs(page: str, tmp_path: Path) -> None:
    conf, folder = tmp_path / "conf", tmp_path / "folder"
    conf.mkdir()
    folder.mkdir()
    (conf / "spark-defaults.conf").write_text(DEFAULTS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, SUPPORT / "code_blocks.py", ROOT / page, str(PAGES[page])],
        capture_output=True,
        text=True,
        timeout=180,
        cwd=folder,
        env={**ENVIRONMENT, "SPARK_CONF_DIR": str(conf)},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.stem)
def test_the_python_of_every_page_compiles(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            compile("\n" * block.line + block.code, str(page), "exec")


@pytest.mark.parametrize("page", PAGES)
def test_a_block_that_does_not_run_says_why(page: str) -> None:
    found = list(blocks(ROOT / page))
    assert any(block.runs_on((3, 5)) for block in found)


@pytest.mark.parametrize("marker", ["not run", "not run: ", "from Spark four", "slow"])
def test_a_marker_without_a_reason_is_an_error(marker: str) -> None:
    with pytest.raises(ValueError, match="line 7: expected a reason"):
        Block(7, "python", "", marker).runs_on((4, 3))


def test_a_marker_names_the_oldest_spark() -> None:
    block = Block(7, "sql", "", "from Spark 4.0")
    assert [block.runs_on(spark) for spark in [(3, 5), (4, 0), (4, 3)]] == [False, True, True]


def test_semicolons_at_the_end_of_a_line_separate_statements() -> None:
    sql = "SELECT ';' AS a;  -- one; two;\n-- nothing;\nSELECT\n  2;\n"
    assert statements(sql) == ["SELECT ';' AS a", "SELECT\n  2"]
