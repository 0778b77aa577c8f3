"""Tests the package through Spark Connect: only the session that enables it has it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from connect_server import Server, connect_server
from harness import fresh, rows
from settings import BAD_VALUES, GOOD_VALUES
from streams import streamed

pytestmark = pytest.mark.skipif(
    pyspark.__version__.startswith("3."), reason="PySpark 3.5 brings no Spark Connect server"
)

FILES, GROUPS, ROWS = 6, 4, 50
KEYS = samples.scattered(FILES * GROUPS * ROWS)
KEY = KEYS[3 * GROUPS * ROWS + 7]  # in one row group of the fourth file


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_lake(tmp_path_factory.mktemp("lake"), KEYS, FILES, ROWS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Starts a server without spark-sbbf."""
    with connect_server(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Starts a server whose sessions all have the extension, by service file and configuration."""
    options = ("--jars", sbbf.jar_path(), "--conf", f"spark.sql.extensions={EXTENSIONS}")
    with connect_server(tmp_path_factory.mktemp("configured"), *options) as started:
        yield started


EXTENSIONS = "io.sbbf.spark.SbbfExtensions"


def looked_up(session: Any, lake: str) -> Any:
    # the schema is given, because to find it out takes a task
    return session.read.schema("key long, seq long").parquet(lake).where(f"key = {KEY}")


def is_pruned(session: Any, lake: str) -> bool:
    return len(looked_up(session, lake).inputFiles()) < FILES


def test_a_running_session_is_enabled_and_prunes_for_itself_alone(
    server: Server, lake: str
) -> None:
    session, other = server.session(), server.session()

    def counted(of: Any) -> tuple[list[str], int]:
        return server.tasks_of(of, lambda: rows(looked_up(of, lake)))

    answer = [f"Row(key={KEY}, seq=7)"]
    assert counted(session) == (answer, FILES)
    assert not sbbf.is_enabled(session)
    assert sbbf.enable(session) is session
    assert sbbf.is_enabled(session) and not sbbf.is_enabled(other)
    assert counted(session) == (answer, 1)
    assert counted(other) == (answer, FILES)
    assert counted(server.session()) == (answer, FILES)


def test_a_stream_s_files_have_the_filters_that_its_options_request(
    server: Server, tmp_path: Path
) -> None:
    source = str(tmp_path / "source")
    session, other = sbbf.enable(server.session()), server.session()
    other.range(0, 1000, 1, 2).write.parquet(source)
    exact = streamed(session, source, str(tmp_path / "to"), **sbbf.bloom_options("key"))
    assert exact and max(exact) < 10_000
    options = sbbf.bloom_options("id")
    stream = other.readStream.schema("id LONG").parquet(source).writeStream.options(**options)
    to = str(tmp_path / "other's")
    stream = stream.option("checkpointLocation", f"{to} checkpoint").trigger(availableNow=True)
    stream.start(to).awaitTermination()
    by_spark_alone = sbbf.inspect(session, to).select("filter_bytes").collect()
    assert {row.filter_bytes for row in by_spark_alone} <= {None, 1 << 20}
    assert other.read.parquet(to).count() == 1000


def test_an_index_is_created_searched_refreshed_and_dropped(server: Server, tmp_path: Path) -> None:
    path = samples.write_lake(tmp_path / "indexed", KEYS, FILES, ROWS)
    session = sbbf.enable(server.session())
    assert sbbf.create_index(session, path, ["key", "seq"]).files == FILES
    (scan,) = sbbf.explain(looked_up(session, path), show=False).scans
    assert (scan.files_kept, scan.index_segments) == (1, 1)
    assert sbbf.refresh_index(session, path).files == 0
    covered = {
        row.path_in_schema: row.files_covered for row in sbbf.index_info(session, path).collect()
    }
    assert covered == {"key": FILES, "seq": FILES}
    assert sbbf.drop_index(session, path) > 0
    assert rows(looked_up(session, path)) == [f"Row(key={KEY}, seq=7)"]


def test_enabling_twice_and_disabling_twice_change_nothing(server: Server, lake: str) -> None:
    session = server.session()
    for _ in range(2):
        sbbf.enable(sbbf.enable(session))
        assert sbbf.is_enabled(session) and is_pruned(session, lake)
        sbbf.disable(session)
        sbbf.disable(session)
        assert not sbbf.is_enabled(session) and not is_pruned(session, lake)
        assert session.conf.get("spark.sbbf.enabled") == "true"  # only the rule was removed
    never = server.session()
    sbbf.disable(never)
    assert not sbbf.is_enabled(never)


def test_the_switch_works_for_the_next_query(server: Server, lake: str) -> None:
    session = sbbf.enable(server.session())
    for switch in ("false", "true"):
        session.conf.set("spark.sbbf.enabled", switch)
        assert sbbf.is_enabled(session) == is_pruned(session, lake) == (switch == "true")
        assert looked_up(session, lake).count() == 1
    session.conf.set("spark.sbbf.enabled", "false")
    assert is_pruned(sbbf.enable(session), lake)


@pytest.mark.full
def test_every_key_can_be_set_at_run_time(server: Server, lake: str) -> None:
    session = sbbf.enable(server.session())
    keys = [name for name in sbbf.doctor(session) if name.startswith("spark.sbbf.")]
    assert set(GOOD_VALUES) == set(keys)
    for key, value in GOOD_VALUES.items():
        session.conf.set(key, value)
        assert sbbf.doctor(session)[key] == value
    assert is_pruned(session, lake) and looked_up(session, lake).count() == 1
    for key in keys:
        session.conf.unset(key)
    assert {sbbf.doctor(session)[key] for key in keys} != set(GOOD_VALUES.values())


@pytest.mark.parametrize("key", BAD_VALUES)
def test_a_bad_value_is_refused_when_it_is_set(server: Server, key: str) -> None:
    session = sbbf.enable(server.session())
    with pytest.raises(Exception, match=rf"{key} must be .*, but was '{BAD_VALUES[key]}'"):
        session.conf.set(key, BAD_VALUES[key])


@pytest.mark.full
def test_bad_values_set_before_count_as_the_defaults(tmp_path: Path, lake: str) -> None:
    with connect_server(tmp_path) as fresh_server:
        session, other = fresh_server.session(), fresh_server.session()
        for key, value in BAD_VALUES.items():
            session.conf.set(key, value)
        sbbf.enable(session)
        assert is_pruned(session, lake) and looked_up(session, lake).count() == 1
        written = str(tmp_path / "written")
        session.range(3).write.options(**sbbf.bloom_options("id")).parquet(written)
        filters = sbbf.inspect(session, written).where("filter_bytes = 32")
        assert filters.count() == len(list((tmp_path / "written").glob("*.parquet")))
        session.range(3).write.orc(str(tmp_path / "orc"))
        assert session.read.orc(str(tmp_path / "orc")).where("id = 1").count() == 1
        session.stop()
        # the checks of the values came with the JAR of the session that ended
        for key, value in BAD_VALUES.items():
            with pytest.raises(Exception, match=f"{key} must be"):
                other.conf.set(key, value)
    log = (tmp_path / "server.log").read_text()
    for key in BAD_VALUES:
        assert log.count(f"WARN LogOnce: {key} must be") == 1, key


def test_inspect_and_probe_answer_as_in_a_classic_session_and_enable_nothing(
    spark: SparkSession, server: Server, lake: str
) -> None:
    session = server.session()
    assert rows(sbbf.inspect(session, lake)) == rows(sbbf.inspect(spark, lake))
    for value in (KEY, 5):
        probed = sbbf.probe(session, lake, "key", value)
        assert rows(probed) == rows(sbbf.probe(spark, lake, "key", value))
    assert not sbbf.is_enabled(session) and not is_pruned(session, lake)


def test_keys_and_conditions_answer_as_in_a_classic_session(
    spark: SparkSession, server: Server, lake: str, tmp_path: Path
) -> None:
    session = server.session()
    expected = rows(sbbf.probe(spark, lake, "key", [KEY, 5]))
    found = sbbf.probe(session, lake, "key", [KEY, 5])
    assert rows(found) == rows(found.where("key IS NOT NULL")) == expected != []
    frame = session.createDataFrame([(KEY,), (5,)], "key BIGINT")
    assert rows(sbbf.probe(session, lake, "key", frame)) == expected
    with pytest.raises(ValueError, match="expected a DataFrame of the same session"):
        sbbf.probe(server.session(), lake, "key", frame)
    days = str(tmp_path / "days")
    data = spark.range(20).selectExpr("id AS key", "id % 2 AS day")
    data.write.partitionBy("day").options(**sbbf.bloom_options("key")).parquet(days)
    for where in ("day = 1", "day > 5"):
        listed = sbbf.inspect(session, days, where=where)
        assert rows(listed) == rows(sbbf.inspect(spark, days, where=where))
    advised = sbbf.advise(session, days, "key", row_groups=4, where="day = 1").first()
    assert 0 < advised.row_groups < spark.read.parquet(days).rdd.getNumPartitions() + 4
    session.range(9).selectExpr("id AS key").write.saveAsTable("by_name")
    assert sbbf.inspect(session, "by_name").count() == 0
    assert sbbf.add_filters(session, "default.by_name", "key").of("done")
    assert session.table("by_name").where("key = 3").count() == 1
    assert sbbf.inspect(session, "by_name").count() > 0
    session.sql("DROP TABLE by_name")


@pytest.mark.full
def test_the_tables_of_the_catalog_have_the_rows_of_the_data_source(
    spark: SparkSession, server: Server, lake: str
) -> None:
    session = sbbf.enable(server.session())
    table = f"sbbf.filters.`{lake}`"
    assert rows(session.sql(f"SELECT * FROM {table}")) == rows(sbbf.inspect(spark, lake))
    probed = rows(sbbf.probe(spark, lake, "key", KEY))
    options = f"(column = 'key', value = '{KEY}')"
    assert rows(session.sql(f"SELECT * FROM {table} WITH {options}")) == probed
    reader = session.read.option("column", "key").option("value", KEY)
    assert rows(reader.table(table)) == probed
    namespaces = session.sql("SHOW NAMESPACES IN sbbf").collect()
    assert [row.namespace for row in namespaces] == [
        "filters",
        "reports",
        "advice",
        "indexes",
        "session",
    ]


def test_files_get_filters_by_what_one_session_brought(
    server: Server, lake: str, tmp_path: Path
) -> None:
    files = tmp_path / "it's"
    shutil.copytree(lake, files)
    session = server.session()
    assert len(sbbf.drop_filters(session, str(files), "key").of("done")) == FILES
    assert sbbf.inspect(session, str(files)).count() == 0
    dry = sbbf.add_filters(session, str(files), "key", fpp=0.001, dry_run=True)
    assert len(dry.of("planned")) == FILES
    with pytest.raises(ValueError, match="has 'kye'"):
        sbbf.add_filters(session, str(files), "kye")
    done = sbbf.add_filters(session, str(files), "key", fpp=0.001, progress=True)
    assert sum(file.filters for file in done.of("done")) == FILES * GROUPS
    assert not sbbf.is_enabled(session)
    assert is_pruned(sbbf.enable(session), str(files))
    for arguments, status in (
        ("columns => array('seq'), dry_run => true", "planned"),
        ("columns => array('key'), fpp => 0.001, replace => true", "done"),
        ("options => map('parquet.bloom.filter.enabled#key', 'true')", "unchanged"),
    ):
        called = session.sql(
            f"CALL sbbf.system.add_filters(table => '{files_of_sql(files)}', {arguments})"
        )
        assert [row.status for row in called.collect()] == [status] * FILES
    for arguments, said in (
        ("fpp => 0.1", "fpp needs columns"),
        ("columns => array(NULL)", "NULL among the arguments"),
        ("columns => array('key'), options => map('path', '/')", "'path' has no effect here"),
    ):
        with pytest.raises(Exception, match=said):
            session.sql(f"CALL sbbf.system.add_filters(table => '{lake}', {arguments})").collect()


def test_columns_are_advised_on_by_what_one_session_brought(server: Server, lake: str) -> None:
    session = server.session()
    queries = [looked_up(session, lake), f"SELECT * FROM parquet.`{lake}` WHERE key = 5"]
    advised = sbbf.advise(session, lake, queries=queries, fpp=0.001)
    found = {row.path_in_schema: row for row in advised.collect()}
    assert {name: row.lookups for name, row in found.items()} == {"key": 2, "seq": 0}
    assert (found["key"].filters, found["key"].advice) == (FILES * GROUPS, "keep")
    assert not sbbf.is_enabled(session)
    looked_up(sbbf.enable(session), lake).count()
    by_history = sbbf.advise(session, lake, "key", history=True).first()
    assert by_history.lookups >= 1
    with pytest.raises(ValueError, match="no file or folder"):
        sbbf.advise(session, f"{lake}-not")


def files_of_sql(path: Path) -> str:
    return str(path).replace("'", "\\'")


def test_explain_reports_on_the_dataframe_s_own_plan(
    spark: SparkSession, server: Server, lake: str
) -> None:
    session = server.session()
    df = looked_up(session, lake)
    with pytest.raises(RuntimeError, match=r"call spark_sbbf.enable\(spark\) first"):
        sbbf.explain(df)
    sbbf.enable(session)
    (scan,), (own,) = sbbf.explain(df).scans, sbbf.explain(looked_up(spark, lake)).scans
    assert (scan.files, scan.files_kept, scan.row_groups_kept) == (FILES, 1, 1)
    for field in ("predicate", "row_groups", "refuted_by", "kept_because", "bytes_kept"):
        assert getattr(scan, field) == getattr(own, field)
    twice = df.join(session.read.parquet(lake).where("seq = 3"), "key").select(df.seq, df.seq)
    predicates = [found.predicate for found in sbbf.explain(twice).scans]
    assert predicates == ["key = ?", "(seq = ? AND key = ?)"]
    assert sbbf.explain(session.range(3)).scans == []
    assert session.catalog.listTables() == []
    session.conf.set("spark.sbbf.enabled", "false")
    assert not sbbf.explain(df).enabled


def test_explain_last_reports_on_what_show_has_run(server: Server, lake: str) -> None:
    session = sbbf.enable(server.session())
    looked_up(session, lake).show()
    (scan,) = sbbf.explain_last(session).scans
    assert (scan.files, scan.files_kept, scan.predicate) == (FILES, 1, "key = ?")


def test_the_event_log_has_the_numbers_of_the_last_scan(server: Server, lake: str) -> None:
    session = sbbf.enable(server.session())
    server.tasks_of(session, looked_up(session, lake).collect)
    logged = server.last_metrics("sbbf: ")
    (scan,) = sbbf.explain(looked_up(session, lake)).scans
    assert logged["files kept"] == scan.files_kept == 1
    assert logged["files skipped"] == FILES - 1
    assert logged["row groups kept"] == scan.row_groups_kept == 1
    assert logged["row groups skipped"] == FILES * GROUPS - 1
    by = {f"row groups skipped by {name}": n for name, n in scan.refuted_by.items() if n}
    assert {name: n for name, n in logged.items() if " by " in name and n} == by
    assert {"bytes read to decide", "time to decide"} <= logged.keys()


def test_executors_of_the_server_have_what_one_session_brought(server: Server) -> None:
    session = sbbf.enable(server.session())
    assert sbbf.doctor(session)["executors"] == "have the JAR, as far as is known"


def test_the_doctor_reports_on_the_server(server: Server) -> None:
    session = server.session()
    missing = sbbf.doctor(session)
    assert missing == {
        "spark": session.version,
        "extension": "not in this session: sbbf.enable(spark)",
    }
    findings = sbbf.doctor(sbbf.enable(session))
    assert findings["extension"] == "active" and findings["spark"] == session.version
    assert findings["scala"].startswith("2.13") and "scalar" in findings["kernels"]


def test_another_jar_of_the_session_does_not_hide_what_enable_brought(
    server: Server, lake: str, tmp_path: Path
) -> None:
    session = sbbf.enable(server.session())
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as jar:
        jar.writestr("nothing.txt", "")
    session.addArtifact(str(tmp_path / "other.jar"))
    assert sbbf.is_enabled(session) and is_pruned(session, lake)
    assert len(sbbf.explain(looked_up(session, lake)).scans) == 1
    sbbf.enable(session)
    sbbf.disable(session)
    assert not sbbf.is_enabled(session) and not is_pruned(session, lake)


def test_a_builder_makes_an_enabled_session(server: Server, lake: str) -> None:
    script = """
        url, lake, key = sys.argv[1:]
        spark = sbbf.enable(SparkSession.builder.remote(url)).getOrCreate()
        df = spark.read.parquet(lake).where(f"key = {key}")
        print("#", type(spark).__module__, sbbf.is_enabled(spark), len(df.inputFiles()))
        print("#", sbbf.explain(df).scans[0].files_kept, df.count())
        other = SparkSession.builder.remote(url).create()
        print("#", sbbf.is_enabled(other))
        again = sbbf.enable(sbbf.enable(SparkSession.builder.remote(url))).create()
        print("#", sbbf.is_enabled(again))
        for session in (again, other, spark):
            session.stop()
    """
    assert fresh(script, server.url, lake, str(KEY)) == [
        "pyspark.sql.connect.session True 1",
        "1 1",
        "False",
        "True",
    ]


@pytest.mark.full
def test_a_session_of_a_server_with_the_extension_has_all_of_it_from_the_start(
    configured: Server, lake: str
) -> None:
    session, other = configured.session(), configured.session()
    assert sbbf.is_enabled(session) and is_pruned(session, lake)
    assert sbbf.explain(looked_up(session, lake)).scans[0].files_kept == 1
    listed = rows(sbbf.inspect(session, lake))
    assert rows(session.sql(f"SELECT * FROM sbbf.filters.`{lake}`")) == listed
    probed = rows(sbbf.probe(session, lake, "key", KEY))
    options = f"path '{lake}', column 'key', value '{KEY}'"
    session.sql(f"CREATE TEMPORARY VIEW probed USING sbbf OPTIONS ({options})").collect()
    assert rows(session.table("probed")) == probed
    assert is_pruned(sbbf.enable(session), lake)
    sbbf.disable(session)
    assert not is_pruned(session, lake) and session.conf.get("spark.sbbf.enabled") == "false"
    assert is_pruned(other, lake)
    assert is_pruned(sbbf.enable(session), lake)
