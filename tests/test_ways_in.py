"""Do executors, submitted jobs and SQL shells get the extension by each way in?"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

import samples
import spark_sbbf as sbbf
from connect_server import free_port, listens, until
from harness import BRIEF, fresh

GROUPS, ROWS, FILES = 4, 50, 3
KEYS = samples.scattered(FILES * GROUPS * ROWS)
EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
HOME = Path(pyspark.__file__).parent


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
    f"[('CannotMatch', {FILES * GROUPS - 1}), ('MightMatch', 1)]",
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


@contextlib.contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """The address of a master of two workers, which are two hosts by their names."""
    deploy, port = "org.apache.spark.deploy", free_port()
    address = f"spark://127.0.0.1:{port}"
    master = (f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port))
    worker = (f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0")
    with contextlib.ExitStack() as daemons:
        command = ("spark-class", *master, "--webui-port", "0")
        daemons.enter_context(daemon(folder / "master", *command))
        until(lambda: listens(port), "the master")
        for n, host in enumerate(("127.0.0.1", "localhost"), start=1):
            command = ("spark-class", *worker, "--host", host, address)
            daemons.enter_context(daemon(folder / f"worker-{n}", *command))
        yield address


def test_a_standalone_cluster_with_two_workers_has_the_jar(lake: str, tmp_path: Path) -> None:
    script = TRIMS + ON_EXECUTORS.format(enable="spark = sbbf.enable(cluster).getOrCreate()")
    with standalone_cluster(tmp_path) as master:
        assert fresh(script, lake, str(KEYS[7]), master) == ANSWERS
    for n in (1, 2):
        assert any((tmp_path / f"worker-{n}" / "work").rglob("*spark-sbbf*.jar"))


@pytest.mark.parametrize("way", ["by its name", "by a link"])
def test_where_only_the_driver_has_the_jar_whole_files_are_pruned_and_it_is_said(
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
    """
    jar = ("--driver-class-path", str(path), "--master", "local-cluster[1,1,1024]")
    named = ("--conf", f"spark.sql.extensions={EXTENSIONS}")
    done = finished("spark-sql", *jar, *named, "-e", query, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    count, written, found = [line for line in done.stdout.splitlines() if line][-3:]
    assert (count, written) == ("1", str(len(KEYS))) and done.stderr.count(found) == 1
    assert found.startswith("executors do not have spark-sbbf's JAR, as nothing that Spark")
    assert found.endswith("Name it in spark.jars (--jars), which ships it")


ENVIRONMENT = {
    **os.environ,
    **BRIEF,
    "SPARK_HOME": str(HOME),
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_SUBMIT_OPTS": f"{BRIEF['SPARK_SUBMIT_OPTS']} -Dspark.ui.enabled=false",
}


def finished(
    program: str, *arguments: str, cwd: Path, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HOME / "bin" / program, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=180,
        cwd=cwd,
        env=ENVIRONMENT,
    )


def run(program: str, *arguments: str, cwd: Path) -> str:
    done = finished(program, *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@contextlib.contextmanager
def daemon(folder: Path, program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a program of Spark's in a folder of its own, with its log there, until the end."""
    folder.mkdir()
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            [HOME / "bin" / program, *arguments],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**ENVIRONMENT, "SPARK_WORKER_DIR": str(folder / "work")},
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def printed(told: str) -> list[str]:
    """Without the warnings of libraries that spark-submit lets through."""
    return [line for line in told.splitlines() if line.startswith("# ")]


def test_a_submitted_job_has_it_by_its_jar_and_one_setting(lake: str, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(
        textwrap.dedent("""
        import sys
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", len(df.inputFiles()), df.count())
        """)
    )
    jar = ("--jars", sbbf.jar_path(), "--conf", f"spark.sql.extensions={EXTENSIONS}")
    told = run("spark-submit", *jar, str(job), lake, str(KEYS[7]), cwd=tmp_path)
    assert printed(told) == ["# 1 1"]


def test_a_submitted_job_may_enable_its_builder(lake: str, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(
        textwrap.dedent("""
        import sys
        from pyspark.sql import SparkSession
        import spark_sbbf as sbbf
        spark = sbbf.enable(SparkSession.builder).getOrCreate()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", len(df.inputFiles()), df.count(), sbbf.is_enabled(spark))
        """)
    )
    told = run("spark-submit", str(job), lake, str(KEYS[7]), cwd=tmp_path)
    assert printed(told) == ["# 1 1 True"]


def test_the_sql_shell_has_it_with_its_tables_and_functions(lake: str, tmp_path: Path) -> None:
    named = ("--conf", f"spark.sql.extensions={EXTENSIONS}")
    old = pyspark.__version__.startswith("3.")  # Spark 4 finds the extension in the JAR
    jar = ("--jars", sbbf.jar_path(), *(named if old else ()))
    query = f"""
        SELECT count(*) FROM parquet.`{lake}` WHERE key = {KEYS[7]}L;
        SELECT count(*) FROM sbbf.filters.`{lake}`;
        SELECT verdict, count(*) FROM sbbf_probe('{lake}', 'key', {KEYS[7]}) GROUP BY 1 ORDER BY 1;
        SELECT value FROM sbbf.session.doctor WHERE name = 'extension';
    """
    told = run("spark-sql", *jar, "-e", query, cwd=tmp_path)
    groups = FILES * GROUPS
    expected = ["1", str(groups), f"CannotMatch\t{groups - 1}", "MightMatch\t1", "active"]
    assert [line for line in told.splitlines() if line][-5:] == expected


def test_the_scala_shell_has_it(lake: str, tmp_path: Path) -> None:
    typed = f"""
        val found = spark.read.parquet("{lake}").where("key = {KEYS[7]}L")
        println("\\n# " + found.inputFiles.length + " " + found.count)
        :quit
    """
    jar = ("--jars", sbbf.jar_path(), "--conf", f"spark.sql.extensions={EXTENSIONS}")
    done = finished("spark-shell", *jar, cwd=tmp_path, typed=typed)
    assert done.returncode == 0, done.stderr[-3000:]
    assert printed(done.stdout) == ["# 1 1"]


def test_sql_alone_brings_it_into_a_session_without_the_extension(
    lake: str, tmp_path: Path
) -> None:
    query = f"""
        ADD JAR '{sbbf.jar_path()}';
        SET spark.sql.catalog.sbbf = io.sbbf.spark.catalog.SbbfCatalog;
        SELECT value FROM sbbf.session.doctor WHERE name = 'extension';
        ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = 'on');
        CREATE TEMP VIEW lookup AS SELECT * FROM parquet.`{lake}` WHERE key = {KEYS[7]}L;
        SELECT count(*) FROM lookup;
        SELECT get_json_object(report, '$.scans[0].row_groups_kept') FROM sbbf.reports.lookup;
    """
    told = run("spark-sql", "-e", query, cwd=tmp_path)
    lines = [line for line in told.splitlines() if line]
    assert lines[-3].startswith("not in this session") and lines[-2:] == ["1", "1"]


@pytest.mark.skipif(
    not any(HOME.glob("jars/spark-hive-thriftserver_*.jar")), reason="this PySpark has none"
)
def test_the_thrift_server_has_it_in_its_sessions(lake: str, tmp_path: Path) -> None:
    port = free_port()
    server = ("spark-submit", "--jars", sbbf.jar_path())
    settings = {"spark.sql.extensions": EXTENSIONS, "spark.ui.enabled": "false"}
    server += tuple(
        part for key, value in settings.items() for part in ("--conf", f"{key}={value}")
    )
    server += ("--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2")
    server += ("spark-internal", "--hiveconf", f"hive.server2.thrift.port={port}")
    query = f"""
        SELECT count(*) FROM parquet.`{lake}` WHERE key = {KEYS[7]}L;
        SELECT verdict, count(*) FROM sbbf_probe('{lake}', 'key', {KEYS[7]}) GROUP BY 1 ORDER BY 1;
        SET spark.sbbf.enabled = false;
        SELECT value FROM sbbf.session.doctor WHERE name = 'extension';
    """
    with daemon(tmp_path / "server", *server) as process:
        until(lambda: process.poll() is not None or listens(port), "the Thrift server")
        assert process.poll() is None, (tmp_path / "server" / "log").read_text()[-3000:]
        shell = ("-u", f"jdbc:hive2://localhost:{port}", "--silent=true", "--showHeader=false")
        table = ("--outputformat=tsv2", "-e", " ".join(query.split()))
        told = run("beeline", *shell, *table, cwd=tmp_path).split("\n")
    groups = FILES * GROUPS
    expected = ["1", f"CannotMatch\t{groups - 1}", "MightMatch\t1", "spark.sbbf.enabled\tfalse"]
    assert [line for line in told if line] == [*expected, "off: spark.sbbf.enabled is false"]
