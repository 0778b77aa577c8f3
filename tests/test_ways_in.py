"""Do executors, submitted jobs and SQL shells get the extension by each way in?"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyspark
import pytest

import samples
import spark_sbbf as sbbf
from harness import fresh

GROUPS, ROWS, FILES = 4, 50, 3
KEYS = samples.scattered(FILES * GROUPS * ROWS)
EXTENSIONS = "io.sbbf.spark.SbbfExtensions"
HOME = Path(pyspark.__file__).parent


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return samples.write_lake(tmp_path_factory.mktemp("lake"), KEYS, FILES, ROWS)


ON_EXECUTORS = """
    lake, key = sys.argv[1:]
    cluster = builder().master("local-cluster[2,1,1024]")
    {enable}
    df = spark.read.parquet(lake).where(f"key = {{key}}")
    print("#", df.count(), sbbf.explain(df).scans[0].row_groups_kept, trims(df))
    print("#", sbbf.inspect(spark, lake).count(), spark.sparkContext.master)
    verdicts = sbbf.probe(spark, lake, "key", int(key)).groupBy("verdict").count()
    print("#", sorted(map(tuple, verdicts.collect())))
"""
TRIMS = """
    def trims(df):
        return "PrunedParquetFormat" in df._jdf.queryExecution().optimizedPlan().collectLeaves(
        ).apply(0).relation().fileFormat().getClass().getName()
"""


@pytest.mark.parametrize(
    "enable",
    [
        "spark = sbbf.enable(cluster).getOrCreate()",
        "spark = sbbf.enable(cluster.getOrCreate())",
    ],
    ids=["builder", "session"],
)
def test_executors_in_other_jvms_have_the_jar(enable: str, lake: str) -> None:
    script = TRIMS + ON_EXECUTORS.format(enable=enable)
    assert fresh(script, lake, str(KEYS[7])) == [
        "1 1 True",
        f"{FILES * GROUPS} local-cluster[2,1,1024]",
        f"[('CannotMatch', {FILES * GROUPS - 1}), ('MightMatch', 1)]",
    ]


def run(program: str, *arguments: str, cwd: Path) -> str:
    environment = {**os.environ, "SPARK_HOME": str(HOME), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [str(HOME / "bin" / program), "--conf", "spark.ui.enabled=false", *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        cwd=cwd,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


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
    assert told.splitlines() == ["# 1 1"]


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
    assert told.splitlines() == ["# 1 1 True"]


def test_the_sql_shell_has_it_with_its_tables_and_functions(lake: str, tmp_path: Path) -> None:
    jar = ("--jars", sbbf.jar_path(), "--conf", f"spark.sql.extensions={EXTENSIONS}")
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
