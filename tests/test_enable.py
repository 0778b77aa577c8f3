"""Can the extension be switched on anywhere, seen at work, and switched off at once?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark import __version__
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import (
    explain_text,
    fresh,
    fresh_with_log,
    only_scan,
    rows,
    session_with,
    tasks_of,
)
from spark_sbbf.jar import find_spark

GROUPS, ROWS = 4, 50
KEYS = samples.scattered(GROUPS * ROWS)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One file with filters on `key`, and one of the same four row groups without any."""
    folder = tmp_path_factory.mktemp("enable")
    columns = {"key": KEYS, "seq": list(range(GROUPS * ROWS))}
    samples.write(folder / "filtered.parquet", columns, ROWS, filters=("key",))
    moved = {"key": [key ^ 1 for key in KEYS], "seq": columns["seq"]}
    samples.write(folder / "plain.parquet", moved, ROWS)
    return str(folder)


def test_a_builder_is_enabled_without_any_download(lake: str) -> None:
    script = """
        enabled = sbbf.enable(builder())
        spark = sbbf.enable(enabled).getOrCreate()
        print("#", spark.conf.get("spark.jars.packages", "none"))
        print("#", [Path(jar).name for jar in spark.conf.get("spark.jars").split(",")])
        print("#", spark.conf.get("spark.sql.extensions"))
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", pruned(df), df.count(), sbbf.explain(df).scans[0].files_kept)
        print("#", sbbf.doctor(spark)["kernels"])
    """
    packages, jars, extensions, answer, kernels = fresh(script, lake, str(KEYS[7]))
    assert packages == "none" and jars == f"['{Path(sbbf.jar_path()).name}']"
    assert extensions == "io.sbbf.spark.SbbfExtensions"
    assert answer == "True 1 2"
    assert "start the JVM" not in kernels  # the module is there, on Spark 3.5 too


def test_a_running_session_is_enabled_for_itself_alone_and_disabled_again(lake: str) -> None:
    script = """
        spark = builder().getOrCreate()
        other = spark.newSession()
        look = lambda session: session.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", pruned(look(spark)), look(spark).count())
        sbbf.enable(spark)
        sbbf.enable(spark)
        print("#", pruned(look(spark)), look(spark).count(), pruned(look(other)))
        print("#", look(spark)._jdf.queryExecution().optimizedPlan().collectLeaves().apply(0)
              .relation().location().toString().count("PrunedFileIndex") <= 1)
        sbbf.disable(spark)
        print("#", pruned(look(spark)), look(spark).count())
        sbbf.enable(spark)
        print("#", pruned(look(spark)), look(spark).count())
    """
    lines = fresh(script, lake, str(KEYS[7]))
    assert lines == ["False 1", "True 1 False", "True", "False 1", "True 1"]


def test_a_running_session_is_enabled_from_another_thread(lake: str) -> None:
    script = """
        from concurrent.futures import ThreadPoolExecutor
        spark = builder().getOrCreate()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(sbbf.enable, spark).result()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", pruned(df), df.count())
    """
    assert fresh(script, lake, str(KEYS[7])) == ["True 1"]


def test_every_thread_of_a_running_session_reads_the_data_source(lake: str) -> None:
    script = """
        from concurrent.futures import ThreadPoolExecutor
        spark = sbbf.enable(builder().getOrCreate())
        def read():
            table = spark.sql(f"SELECT * FROM sbbf.filters.`{sys.argv[1]}`")
            return spark.read.format("sbbf").load(sys.argv[1]).count(), table.count()
        with ThreadPoolExecutor(1) as pool:
            print("#", *pool.submit(read).result(), *read())
    """
    assert fresh(script, lake) == [" ".join(4 * [str(GROUPS)])]


def test_a_jar_without_our_classes_is_named(lake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
        spark = builder().getOrCreate()
        try:
            sbbf.enable(spark)
        except RuntimeError as error:
            print("#", str(error).replace(sys.argv[1], "it"))
        print("#", spark.range(3).count())
    """
    other = str(next(find_spark().home.glob("jars/spark-core_*.jar")))
    monkeypatch.setenv("SPARK_SBBF_JAR", other)
    refusal, count = fresh(script, other)
    assert refusal.startswith("there is no io.sbbf.spark.SessionBridge in it: reinstall spark-sbbf")
    assert "SPARK_SBBF_JAR" in refusal and count == "3"


def test_a_session_after_one_that_was_stopped_is_enabled_anew(lake: str) -> None:
    script = """
        def session():
            cluster = builder().master("local-cluster[1,1,1024]")
            return cluster.config("spark.executor.memory", "512m").getOrCreate()
        sbbf.enable(session()).stop()
        look = lambda: spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}").count()
        spark = session()
        print("#", look())
        sbbf.enable(spark)
        print("#", look(), sbbf.doctor(spark)["executors"])
    """
    answers = fresh(script, lake, str(KEYS[7]))
    assert answers == ["1", "1 have the JAR, as far as is known"]


@pytest.mark.parametrize("way", ["builder", "session"])
def test_a_bad_setting_that_was_there_before_counts_as_the_default(way: str, lake: str) -> None:
    script = """
        bad = {"spark.sbbf.planning.threads": "0", "spark.sbbf.kernel": "x"}
        if sys.argv[3] == "builder":
            spark = sbbf.enable(builder().config(map=bad)).getOrCreate()
        else:
            spark = builder().getOrCreate()
            for key, value in bad.items():
                spark.conf.set(key, value)
            sbbf.enable(spark)
        other = spark.newSession()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", pruned(df), df.count(), df.cache().count(), other.range(3).count())
        try:
            spark.conf.set("spark.sbbf.planning.threads", "0")
        except Exception as error:
            print("#", "must be a whole number from 1 to 256" in str(error))
    """
    answers, log = fresh_with_log(script, lake, str(KEYS[7]), way)
    assert answers == ["True 1 1 3", "True"]
    for key in ("spark.sbbf.planning.threads", "spark.sbbf.kernel"):
        assert log.count(f"WARN Notices: {key} must be") == 1, key


def test_the_switch_works_for_the_next_query(spark: SparkSession, lake: str) -> None:
    session = session_with(spark, {})
    table = session.read.parquet(lake)
    for switch in ("true", "false", "true"):
        session.conf.set("spark.sbbf.enabled", switch)
        df = table.where(f"key = {KEYS[7]}L")
        assert ("PrunedFileIndex" in explain_text(df)) == (switch == "true")
        assert df.count() == 1


def test_sessions_have_their_own_switch(spark: SparkSession, lake: str) -> None:
    off = session_with(spark, {"spark.sbbf.enabled": "false"})
    condition = f"key = {KEYS[7]}L"
    assert "PrunedFileIndex" not in explain_text(off.read.parquet(lake).where(condition))
    assert "PrunedFileIndex" in explain_text(spark.read.parquet(lake).where(condition))


GOOD_VALUES = {
    "spark.sbbf.enabled": "true",
    "spark.sbbf.format.enabled": "false",
    "spark.sbbf.safeRead": "false",
    "spark.sbbf.exactFilters": "false",
    "spark.sbbf.cache.maxBytes": "1m",
    "spark.sbbf.planning.threads": "2",
    "spark.sbbf.planning.sampleFiles": "0",
    "spark.sbbf.planning.tailBytes": "32k",
    "spark.sbbf.kernel": "scalar",
}


def test_every_key_can_be_set_at_run_time(spark: SparkSession, lake: str) -> None:
    session = session_with(spark, {})
    keys = [name for name in sbbf.doctor(session) if name.startswith("spark.sbbf.")]
    assert set(GOOD_VALUES) == set(keys)
    for key, value in GOOD_VALUES.items():
        session.conf.set(key, value)
        assert sbbf.doctor(session)[key] == value
    df = session.read.parquet(lake).where(f"key = {KEYS[7]}L")
    assert "PrunedFileIndex" in explain_text(df) and df.count() == 1


BAD_VALUES = {
    "spark.sbbf.enabled": "perhaps",
    "spark.sbbf.format.enabled": "2",
    "spark.sbbf.cache.maxBytes": "-1",
    "spark.sbbf.planning.threads": "0",
    "spark.sbbf.planning.sampleFiles": "-5",
    "spark.sbbf.planning.tailBytes": "1",
    "spark.sbbf.safeRead": "1",
    "spark.sbbf.exactFilters": "yes",
    "spark.sbbf.kernel": "fast",
}


@pytest.mark.parametrize("key", BAD_VALUES)
def test_a_bad_setting_is_refused_with_its_key_and_range(
    spark: SparkSession, lake: str, key: str
) -> None:
    session = session_with(spark, {})
    with pytest.raises(Exception, match=f"{key} must be .*, but was '{BAD_VALUES[key]}'"):
        session.conf.set(key, BAD_VALUES[key])


def test_every_key_has_a_bad_value_that_is_tried() -> None:
    assert set(BAD_VALUES) == set(GOOD_VALUES)


def test_explain_tells_what_was_pruned_by_what_and_at_what_cost(
    spark: SparkSession, lake: str
) -> None:
    df = spark.read.parquet(lake).where(f"key = {KEYS[60]}L and seq < 100")
    scan = only_scan(df)
    assert (scan.files, scan.row_groups) == (2, 8)
    # The filtered file: its second row group holds the key, two fail on `seq`, one on the filter.
    # The plain file: the two row groups of `seq` below 100 stay, unless min/max of `key` tells.
    assert scan.row_groups_kept <= 3 and scan.files_kept <= 2
    assert scan.refuted_by["min/max"] >= 4 and scan.refuted_by["bloom"] >= 1
    assert sum(scan.refuted_by.values()) == scan.row_groups - scan.row_groups_kept
    assert scan.summary.startswith(f"kept {scan.row_groups_kept} of 8 row groups in ")
    assert " ms; " in scan.summary and scan.summary.endswith(" read")
    html = sbbf.explain(df)._repr_html_()
    for told in ("<table", f"{scan.row_groups_kept} of 8", "min/max", "bloom"):
        assert told in html
    assert scan.summary.split(";")[0] in str(sbbf.explain(df))


def test_explain_of_a_query_that_was_not_touched_says_so(spark: SparkSession) -> None:
    assert list(sbbf.explain(spark.range(10)).scans) == []
    assert str(sbbf.explain(spark.range(10)))


def test_explain_in_a_session_without_the_extension_says_how_to_get_it() -> None:
    script = """
        try:
            sbbf.explain(builder().getOrCreate().range(10))
        except RuntimeError as error:
            print("#", error)
    """
    said = "spark-sbbf is not in this session: call spark_sbbf.enable(spark) first"
    assert fresh(script) == [said]


def test_inspect_lists_every_filter_with_its_size_and_fill(spark: SparkSession, lake: str) -> None:
    found = sbbf.inspect(spark, lake)
    assert set(found.columns) >= {
        "file", "row_group", "column", "rows", "physical_type", "nulls", "filter_offset",
        "filter_bytes", "blocks", "fill", "fpp", "distinct_estimate", "checks", "evidence",
        "verdict", "reason",
    }  # fmt: skip
    filters = found.where("filter_offset is not null").orderBy("row_group").collect()
    assert [(Path(f.file).name, f.row_group, f.column, f.rows) for f in filters] == [
        ("filtered.parquet", group, "key", ROWS) for group in range(GROUPS)
    ]
    for f in filters:
        assert f.physical_type == "INT64" and f.nulls == 0 and f.filter_bytes == 32 * f.blocks > 0
        assert 0 < f.fill < 0.6 and 0 < f.fpp < 0.01
        assert abs(f.distinct_estimate - ROWS) < ROWS / 5
        assert (f.checks, f.reason) == ("passed", "")


def test_inspect_and_probe_look_at_files_in_tasks(spark: SparkSession, lake: str) -> None:
    files = len(list(Path(lake).glob("*.parquet")))
    _, tasks = tasks_of(spark, sbbf.inspect(spark, lake).collect)
    assert tasks == files > 1
    _, tasks = tasks_of(spark, sbbf.probe(spark, lake, "key", KEYS[60]).collect)
    assert tasks == files + 1  # in which Spark finds the type of the column


def test_probe_says_which_row_groups_might_hold_a_value_and_why(
    spark: SparkSession, lake: str
) -> None:
    probed = sbbf.probe(spark, lake, "key", KEYS[60]).orderBy("file", "row_group").collect()
    verdicts = [row.verdict for row in probed if row.file.endswith("filtered.parquet")]
    assert verdicts == ["CannotMatch", "MightMatch", "CannotMatch", "CannotMatch"]
    assert {row.evidence for row in probed} <= {"bloom", "dictionary", "min/max", "none"}
    assert all(row.reason for row in probed if row.evidence == "none")
    absent = sbbf.probe(spark, lake, "key", 5).where("file like '%filtered%'")
    assert rows(absent.select("verdict").distinct()) == ["Row(verdict='CannotMatch')"]


def test_probe_of_a_column_that_is_not_there_names_it(spark: SparkSession, lake: str) -> None:
    with pytest.raises(Exception, match="no_such_column"):
        sbbf.probe(spark, lake, "no_such_column", 1).collect()


@pytest.mark.parametrize("fpp", [0, 1, -0.1, 2.5, float("nan")])
def test_bloom_options_refuses_an_impossible_rate(fpp: float) -> None:
    with pytest.raises(ValueError, match="fpp"):
        sbbf.bloom_options("key", fpp=fpp)


def test_bloom_options_make_stock_spark_write_filters(spark: SparkSession, tmp_path: Path) -> None:
    options = sbbf.bloom_options("id", "st.leaf", fpp=0.01, ndv=100)
    stock = session_with(spark, {"spark.sbbf.exactFilters": "false"})
    frame = stock.range(100).selectExpr("id", "named_struct('leaf', id * 7) as st", "id as none")
    plain = {"parquet.enable.dictionary": "false"}
    frame.coalesce(1).write.options(**options, **plain).parquet(str(tmp_path / "t"))
    found = sbbf.inspect(spark, str(tmp_path / "t")).where("filter_bytes > 0").select("column")
    assert rows(found) == ["Row(column='id')", "Row(column='st.leaf')"]


def test_the_doctor_names_the_kernels_and_what_is_missing(lake: str) -> None:
    lines = fresh(
        """
        spark = builder().getOrCreate()
        print("#", sbbf.doctor(spark)["extension"])
        sbbf.enable(spark)
        spark.conf.set("spark.sbbf.kernel", "scalar")
        findings = sbbf.doctor(spark)
        print("#", findings["extension"], findings["spark.sbbf.kernel"], findings["java"] != "")
        print("#", findings["kernels"])
        spark.conf.unset("spark.sbbf.kernel")
        print("#", sbbf.doctor(spark)["kernels"])
        """,
        compilers=2,  # or there are no vectors
    )
    assert lines[:2] == ["not in this session: sbbf.enable(spark)", "active scalar True"]
    assert lines[2].count("scalar (set so)") == 3
    # Spark 4 adds the module to the drivers that it starts
    old = __version__.startswith("3.")
    assert lines[3].count("scalar (start the JVM" if old else "scalar (at first") == 3
