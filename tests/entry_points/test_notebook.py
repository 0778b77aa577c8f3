"""Tests notebooks whose session runs already: pruned queries, and pictures of the pruning."""

from __future__ import annotations

import ast
import textwrap
from xml.etree import ElementTree

import pytest

import samples

pytestmark = pytest.mark.full

GROUPS, ROWS = 4, 50
KEYS = samples.scattered(3 * GROUPS * ROWS)

CELLS = [
    """
    from pyspark.sql import SparkSession
    conf = {"spark.ui.enabled": "false", "spark.sql.warehouse.dir": "/nonexistent"}
    spark = SparkSession.builder.master("local[1]").config(map=conf).getOrCreate()
    before = spark.read.parquet(FOLDER).where(f"key = {KEY}")
    len(before.inputFiles()), before.count()
    """,
    """
    import spark_sbbf as sbbf
    sbbf.enable(spark)
    df = spark.read.parquet(FOLDER).where(f"key = {KEY}")
    len(df.inputFiles()), df.count()
    """,
    "sbbf.explain(df)",
    """
    import time
    df.collect()
    store = spark._jsparkSession.sharedState().statusStore()
    last = store.executionsCount() - 1
    while store.executionsList(last, 1).apply(0).completionTime().isEmpty():
        time.sleep(0.05)
    execution = store.executionsList(last, 1).apply(0).executionId()
    values = store.executionMetrics(execution)
    nodes = store.planGraph(execution).allNodes()
    shown = [m for n in range(nodes.size()) for m in [nodes.apply(n).metrics()]]
    metrics = [m.apply(n) for m in shown for n in range(m.size())]
    {m.name(): values.apply(m.accumulatorId()) for m in metrics if m.name().startswith("sbbf: ")}
    """,
    "advised = sbbf.advise(spark, FOLDER)",
    "spark.stop()",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What each cell displays, by MIME type."""
    import nbformat  # both are in requirements-full.txt alone
    from nbclient import NotebookClient

    folder = tmp_path_factory.mktemp("notebook")
    for file in range(3):
        keys = KEYS[file * GROUPS * ROWS : (file + 1) * GROUPS * ROWS]
        samples.write(folder / "lake" / f"part-{file}.parquet", {"key": keys}, ROWS, ("key",))
    given = f"FOLDER, KEY = {str(folder / 'lake')!r}, {KEYS[GROUPS * ROWS + 7]}"
    cells = [nbformat.v4.new_code_cell(source) for source in (given, *map(textwrap.dedent, CELLS))]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(folder))
    shown = ([o.data for o in cell.outputs if "data" in o] for cell in notebook.cells[1:])
    return [data[-1] if data else {} for data in shown]


def test_a_session_that_ran_before_enable_is_pruned(outputs: list[dict[str, str]]) -> None:
    assert [shown["text/plain"] for shown in outputs[:2]] == ["(3, 1)", "(1, 1)"]


def test_explain_shows_a_picture_and_a_text(outputs: list[dict[str, str]]) -> None:
    shown = outputs[2]
    assert "kept 1 of 12 row groups in 1 of 3 files" in shown["text/plain"]
    html = shown["text/html"]
    picture = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    assert sorted(title.text for title in picture.iter("title")) == [
        "part-0.parquet: bloom 4",
        "part-1.parquet: kept 1, bloom 3",
        "part-2.parquet: bloom 4",
    ]
    assert "<td>1 of 12</td>" in html


def test_advise_shows_a_picture_of_each_column(outputs: list[dict[str, str]]) -> None:
    html = outputs[4]["text/html"]
    assert html.count("<svg viewBox") == 1
    assert "<td>key<br>" in html


def test_the_sql_tab_shows_the_same_numbers(outputs: list[dict[str, str]]) -> None:
    metrics = ast.literal_eval(outputs[3]["text/plain"])
    assert {name: metrics[f"sbbf: {name}"] for name in EXPECTED} == EXPECTED


EXPECTED = {
    "files kept": "1",
    "files skipped": "2",
    "row groups kept": "1",
    "row groups skipped": "11",
    "row groups skipped by bloom": "11",
    "row groups skipped by min_max": "0",
}
