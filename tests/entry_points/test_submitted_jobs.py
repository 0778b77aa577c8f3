"""Tests that submitted jobs, shells and servers get the extension by each way to add it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pyspark
import pytest

import samples
import spark_sbbf as sbbf
from connect_server import free_port, listens, until
from processes import EXTENSIONS, HOME, daemon, finished, run

GROUPS, ROWS, FILES = 4, 50, 3
KEYS = samples.scattered(FILES * GROUPS * ROWS)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_lake(tmp_path_factory.mktemp("lake"), KEYS, FILES, ROWS)


def printed(output: str) -> list[str]:
    """Drops the warnings of libraries that spark-submit prints."""
    return [line for line in output.splitlines() if line.startswith("# ")]


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
    output = run("spark-submit", *jar, str(job), lake, str(KEYS[7]), cwd=tmp_path)
    assert printed(output) == ["# 1 1"]


@pytest.mark.full
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
    output = run("spark-submit", str(job), lake, str(KEYS[7]), cwd=tmp_path)
    assert printed(output) == ["# 1 1 True"]


@pytest.mark.full
def test_the_sql_shell_has_it_with_its_tables_and_functions(lake: str, tmp_path: Path) -> None:
    named = ("--conf", f"spark.sql.extensions={EXTENSIONS}")
    old = pyspark.__version__.startswith("3.")  # Spark 4 finds the extension in the JAR
    jar = ("--jars", sbbf.jar_path(), *(named if old else ()))
    query = f"""
        SELECT count(*) FROM parquet.`{lake}` WHERE key = {KEYS[7]}L;
        SELECT count(*) FROM sbbf.filters.`{lake}`;
        CREATE TEMPORARY VIEW probed USING sbbf
            OPTIONS (path '{lake}', column 'key', value '{KEYS[7]}');
        SELECT verdict, count(*) FROM probed GROUP BY 1 ORDER BY 1;
        SELECT value FROM sbbf.session.doctor WHERE name = 'extension';
    """
    output = run("spark-sql", *jar, "-e", query, cwd=tmp_path)
    groups = FILES * GROUPS
    expected = ["1", str(groups), f"cannot_match\t{groups - 1}", "might_match\t1", "active"]
    assert [line for line in output.splitlines() if line][-5:] == expected


@pytest.mark.full
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
    output = run("spark-sql", "-e", query, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line]
    assert lines[-3].startswith("not in this session") and lines[-2:] == ["1", "1"]


@pytest.mark.full
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
        CREATE TEMPORARY VIEW probed USING sbbf
            OPTIONS (path '{lake}', column 'key', value '{KEYS[7]}');
        SELECT verdict, count(*) FROM probed GROUP BY 1 ORDER BY 1;
        SET spark.sbbf.enabled = false;
        SELECT value FROM sbbf.session.doctor WHERE name = 'extension';
    """
    with daemon(tmp_path / "server", *server) as process:
        until(lambda: process.poll() is not None or listens(port), "the Thrift server")
        assert process.poll() is None, (tmp_path / "server" / "log").read_text()[-3000:]
        shell = ("-u", f"jdbc:hive2://localhost:{port}", "--silent=true", "--showHeader=false")
        table = ("--outputformat=tsv2", "-e", " ".join(query.split()))
        output = run("beeline", *shell, *table, cwd=tmp_path).split("\n")
    groups = FILES * GROUPS
    expected = ["1", f"cannot_match\t{groups - 1}", "might_match\t1", "spark.sbbf.enabled\tfalse"]
    assert [line for line in output if line] == [*expected, "off: spark.sbbf.enabled is false"]
