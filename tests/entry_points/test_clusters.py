"""Tests that executors get the extension by each way to add it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import samples
import spark_sbbf as sbbf
from harness import fresh
from processes import EXTENSIONS, finished, standalone_cluster

GROUPS, ROWS, FILES = 4, 50, 3
KEYS = samples.scattered(FILES * GROUPS * ROWS)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_lake(tmp_path_factory.mktemp("lake"), KEYS, FILES, ROWS)


ON_EXECUTORS = """
    lake, key, master = sys.argv[1:]
    cluster = builder().master(master).config("spark.executor.memory", "512m")
    {enable}
    df = spark.read.parquet(lake).where(f"key = {{key}}")
    print("#", df.count(), sbbf.explain(df).scans[0].row_groups_kept, trims(df))
    print("#", sbbf.inspect(spark, lake).count(), len(executors_of(spark)))
    verdicts = sbbf.probe(spark, lake, "key", int(key)).groupBy("verdict").count()
    print("#", sorted(map(tuple, verdicts.collect())))
"""
ANSWERS = [
    "1 1 True",
    f"{FILES * GROUPS} 2",
    f"[('cannot_match', {FILES * GROUPS - 1}), ('might_match', 1)]",
]
TRIMS = """
    def executors_of(spark):  # and not the driver's entry
        return spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()[1:]
    def trims(df):
        return "PrunedParquetFormat" in df._jdf.queryExecution().optimizedPlan().collectLeaves(
        ).apply(0).relation().fileFormat().getClass().getName()
"""


def test_executors_of_a_running_session_get_the_jar(lake: str) -> None:
    script = TRIMS + ON_EXECUTORS.format(enable="spark = sbbf.enable(cluster.getOrCreate())")
    assert fresh(script, lake, str(KEYS[7]), "local-cluster[2,1,1024]") == ANSWERS


@pytest.mark.full
def test_executors_read_the_footers_of_a_cold_query_also_if_some_die(
    tmp_path: Path,
) -> None:
    lake = samples.write_lake(tmp_path, KEYS, files=60, rows_per_group=10)
    script = """
        lake, *keys = sys.argv[1:]
        cluster = builder().master("local-cluster[2,1,1024]")
        spark = sbbf.enable(cluster.config("spark.executor.memory", "512m")).getOrCreate()
        spark.conf.set("spark.sbbf.planning.distributedFiles", "10")
        spark.conf.set("spark.sbbf.planning.sampleFiles", "4")
        def look_up(key):
            df = spark.read.parquet(lake).where(f"key = {key}")
            scan = sbbf.explain(df, show=False).scans[0]
            tasks = scan.files_read_by_tasks + scan.files_missed_by_tasks
            print("#", df.count(), scan.row_groups_kept, tasks, scan.files_missed_by_tasks)
        spark.range(4).count()  # waits for the executors
        look_up(keys[0])
        look_up(keys[0])
        look_up(keys[1])  # files whose bounds ruled out the first key have filters to read
        spark.conf.set("spark.sbbf.cache.maxBytes", "0")
        look_up(keys[0])
        processes = spark._jvm.java.lang.ProcessHandle.current().descendants().toArray()
        print("#", sum(process.destroyForcibly() for process in processes) >= 2)
        look_up(keys[1])
    """
    found = fresh(script, lake, str(KEYS[7]), str(KEYS[77]))
    assert found[:2] == ["1 1 56 0", "1 1 0 0"]
    assert re.fullmatch(r"1 1 [1-4]\d 0", found[2])
    assert found[3:5] == ["1 1 56 0", "True"]
    assert found[5].startswith("1 1 56")


@pytest.mark.full
def test_a_standalone_cluster_with_two_workers_has_the_jar(lake: str, tmp_path: Path) -> None:
    script = TRIMS + ON_EXECUTORS.format(enable="spark = sbbf.enable(cluster).getOrCreate()")
    with standalone_cluster(tmp_path) as master:
        assert fresh(script, lake, str(KEYS[7]), master) == ANSWERS
    for n in (1, 2):
        assert any((tmp_path / f"worker-{n}" / "work").rglob("*spark-sbbf*.jar"))


@pytest.mark.full
@pytest.mark.parametrize("way", ["by its name", "by a link"])
def test_where_only_the_driver_has_the_jar_whole_files_are_pruned_and_the_doctor_says_so(
    lake: str, tmp_path: Path, way: str
) -> None:
    path = Path(sbbf.jar_path())
    if way == "by a link":
        (tmp_path / "linked").symlink_to(path.parent)
        path = tmp_path / "linked" / path.name
    query = f"""
        SELECT count(*) FROM parquet.`{lake}` WHERE key = {KEYS[7]}L;
        CREATE TABLE written USING parquet OPTIONS ('parquet.bloom.filter.enabled#key' = 'true')
          AS SELECT * FROM parquet.`{lake}`;
        SELECT count(*) FROM written;
        SELECT value FROM sbbf.session.doctor WHERE name = 'executors';
        SELECT count(*) FROM sbbf.filters.`{lake}`;
    """
    jar = ("--driver-class-path", str(path), "--master", "local-cluster[1,1,1024]")
    named = ("--conf", f"spark.sql.extensions={EXTENSIONS}")
    done = finished("spark-sql", *jar, *named, "-e", query, cwd=tmp_path)
    assert done.returncode != 0  # because only tasks list filters
    assert "ships it: name it in spark.jars (--jars)" in done.stderr, done.stderr[-3000:]
    count, written, found = [line for line in done.stdout.splitlines() if line][-3:]
    assert (count, written) == ("1", str(len(KEYS))) and done.stderr.count(found) == 1
    assert found.startswith("executors do not have spark-sbbf's JAR, because no Spark setting")
    assert found.endswith("Name the JAR in spark.jars (--jars), which ships it")


@pytest.mark.full
def test_a_day_is_found_where_executors_are_in_another_zone(tmp_path: Path) -> None:
    script = """
        zones = {"driver": "Europe/Berlin", "executor": "UTC"}
        options = {f"spark.{side}.extraJavaOptions": f"-Duser.timezone={zones[side]}"
                   for side in zones}
        cluster = builder().master("local-cluster[1,1,1024]").config(map=options)
        spark = sbbf.enable(cluster.config("spark.executor.memory", "512m")).getOrCreate()
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.range(100).selectExpr("DATE'2026-01-05' AS day").write.parquet(sys.argv[1])
        for enabled in ("true", "false"):
            spark.conf.set("spark.sbbf.enabled", enabled)
            print("#", spark.read.parquet(sys.argv[1]).where("day = DATE'2026-01-05'").count())
    """
    assert fresh(script, str(tmp_path / "days")) == ["100", "0"]  # as Spark alone pushes the 4th
