"""Tests enabling, configuring and disabling the extension, for builders and running sessions."""

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
    session_with,
)
from settings import BAD_VALUES, GOOD_VALUES
from spark_sbbf.jar import find_spark

GROUPS, ROWS = 4, 50
KEYS = samples.scattered(GROUPS * ROWS)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_with_and_without_filters(tmp_path_factory.mktemp("enable"), KEYS, ROWS)


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


@pytest.mark.full
def test_a_second_process_loads_its_classes_from_an_archive(
    lake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    script = """
        log = f"-Xlog:class+load:file={sys.argv[3]}"
        logged = builder().config("spark.driver.extraJavaOptions", log)
        spark = sbbf.enable(logged, class_archive=True).getOrCreate()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", pruned(df), df.count())
    """
    archived = []
    for n in range(2):
        log = tmp_path / f"{n}.log"
        assert fresh(script, lake, str(KEYS[7]), str(log)) == ["True 1"]
        archived.append(log.read_text().count("shared objects file (top)"))
    assert archived[0] == 0 and archived[1] > 5_000, archived


def test_an_archive_of_classes_is_refused_for_a_session_whose_jvm_runs(
    spark: SparkSession,
) -> None:
    with pytest.raises(ValueError, match="class_archive needs a builder"):
        sbbf.enable(spark, class_archive=True)


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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
@pytest.mark.parametrize("way", ["builder", "session"])
def test_a_bad_setting_that_was_there_before_counts_as_the_default(way: str, lake: str) -> None:
    script = """
        bad = {"spark.sbbf.planning.threads": "0", "spark.sbbf.safeRead.enabled": "x"}
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
    for key in ("spark.sbbf.planning.threads", "spark.sbbf.safeRead.enabled"):
        assert log.count(f"WARN LogOnce: {key} must be") == 1, key


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


def test_every_key_can_be_set_at_run_time(spark: SparkSession, lake: str) -> None:
    session = session_with(spark, {})
    keys = [name for name in sbbf.doctor(session) if name.startswith("spark.sbbf.")]
    assert set(GOOD_VALUES) == set(keys)
    for key, value in GOOD_VALUES.items():
        session.conf.set(key, value)
        assert sbbf.doctor(session)[key] == value
    df = session.read.parquet(lake).where(f"key = {KEYS[7]}L")
    assert "PrunedFileIndex" in explain_text(df) and df.count() == 1


@pytest.mark.parametrize("key", BAD_VALUES)
def test_a_bad_setting_is_refused_with_its_key_and_range(
    spark: SparkSession, lake: str, key: str
) -> None:
    session = session_with(spark, {})
    with pytest.raises(Exception, match=f"{key} must be .*, but was '{BAD_VALUES[key]}'"):
        session.conf.set(key, BAD_VALUES[key])


def test_every_key_has_a_bad_value_that_is_tried() -> None:
    assert set(BAD_VALUES) == set(GOOD_VALUES)


@pytest.mark.parametrize("kernel", ["scalar", pytest.param("auto", marks=pytest.mark.full)])
def test_the_doctor_names_the_kernels_and_what_is_missing(kernel: str, lake: str) -> None:
    state, selected, kernels = fresh(
        """
        import os
        os.environ["JAVA_TOOL_OPTIONS"] = "-Dsbbf.kernel=" + sys.argv[1]
        spark = builder().getOrCreate()
        before = sbbf.doctor(spark)["extension"]
        findings = sbbf.doctor(sbbf.enable(spark))
        print("#", before, findings["extension"], findings["java"] != "")
        print("#", findings["sbbf.kernel"])
        print("#", findings["kernels"])
        """,
        kernel,
        compilers=2,  # or there are no vectors
    )
    assert state == "not in this session: sbbf.enable(spark) active True" and selected == kernel
    # Spark 4 adds the module to the drivers that it starts
    measured = "(start the JVM" if __version__.startswith("3.") else "(at first"
    expected = "(as configured)" if kernel == "scalar" else measured
    assert kernels.count(f"scalar {expected}") == 3
