"""Tests what `make test-install` publishes: the POM, the JARs, and a job that fetches them."""

from __future__ import annotations

import os
import textwrap
import zipfile
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

import samples
from processes import EXTENSIONS, run
from spark_sbbf.jar import JARS, find_spark

ROOT = Path(__file__).parents[2]
REPOSITORY = ROOT / "build" / "maven"
VERSION = version("spark-sbbf")
MAVEN = "{http://maven.apache.org/POM/4.0.0}"

pytestmark = pytest.mark.skipif("SBBF_INSTALL" not in os.environ, reason="make test-install")


@pytest.fixture(params=["2.12", "2.13"])
def scala(request: pytest.FixtureRequest) -> str:
    return request.param


def published(scala: str, ending: str) -> Path:
    name = f"spark-sbbf_{scala}"
    return REPOSITORY / "io" / "sbbf" / name / VERSION / f"{name}-{VERSION}{ending}"


def entries(jar: Path) -> list[str]:
    with zipfile.ZipFile(jar) as archive:
        return archive.namelist()


def test_nothing_else_is_published() -> None:
    modules = {pom.parents[1].name for pom in REPOSITORY.rglob("*.pom")}
    assert modules == {"spark-sbbf_2.12", "spark-sbbf_2.13"}


def test_the_jar_is_the_one_of_the_wheel(scala: str) -> None:
    jar = published(scala, ".jar")
    assert jar.read_bytes() == (JARS / jar.name).read_bytes()


def test_the_pom_names_a_licence_and_developers_and_needs_spark_alone(scala: str) -> None:
    pom = ElementTree.parse(published(scala, ".pom")).getroot()
    paths = ("name", "description", "licenses/license/name", "developers/developer/name")
    texts = [pom.findtext("/".join(f"{MAVEN}{tag}" for tag in path.split("/"))) for path in paths]
    assert texts[0] == "spark-sbbf" and texts[1] is not None
    assert texts[2:] == ["Apache-2.0", "the spark-sbbf developers"]
    needed = [
        (dependency.findtext(f"{MAVEN}artifactId"), dependency.findtext(f"{MAVEN}scope"))
        for dependency in pom.iter(f"{MAVEN}dependency")
    ]
    assert needed == [(f"spark-sql_{scala}", "provided")]


def test_the_sources_are_those_of_all_modules(scala: str) -> None:
    packed = {Path(name).name for name in entries(published(scala, "-sources.jar"))}
    sources = [
        file
        for module in ("core", "parquet", "index", "orc", "spark")
        for language in ("java", "scala", f"scala-{scala}")
        for file in (ROOT / "jvm" / module / "src" / "main" / language).rglob("*.*")
    ]
    assert len(sources) > 300 and {file.name for file in sources} - packed == set()


def test_the_scaladoc_describes_public_classes_of_all_modules(scala: str) -> None:
    pages = entries(published(scala, "-javadoc.jar"))
    # those of jvm/index and jvm/orc are private
    for name in ("core/kernel/Kernel", "parquet/model/Evidence", "spark/SbbfExtensions"):
        assert f"io/sbbf/{name}.html" in pages or f"io/sbbf/{name}$.html" in pages


def test_a_submitted_job_has_it_by_its_coordinates(tmp_path: Path) -> None:
    keys = samples.scattered(600)
    lake = samples.write_lake(tmp_path / "lake", keys, files=3, rows_per_group=50)
    job = tmp_path / "job.py"
    job.write_text(
        textwrap.dedent("""
        import sys
        import spark_sbbf as sbbf
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
        df = spark.read.parquet(sys.argv[1]).where(f"key = {sys.argv[2]}")
        print("#", len(df.inputFiles()), df.count(), sbbf.explain(df).scans[0].row_groups_kept)
        sbbf.enable(spark)
        print("#", spark.sparkContext._jsc.sc().listJars().mkString(","))
        """)
    )
    # a home with the local repository, which Spark searches before any other
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "repository").symlink_to(REPOSITORY)
    options = ("--driver-java-options", f"-Duser.home={tmp_path}")
    name = f"spark-sbbf_{find_spark().scala}"
    packages = ("--packages", f"io.sbbf:{name}:{VERSION}")
    named = ("--conf", f"spark.sql.extensions={EXTENSIONS}")
    output = run(
        "spark-submit", *options, *packages, *named, str(job), lake, str(keys[7]), cwd=tmp_path
    )
    counts, jars = (line[2:] for line in output.splitlines() if line.startswith("# "))
    assert counts == "1 1 1"
    assert jars.split("/")[-1] == f"io.sbbf_{name}-{VERSION}.jar"
    assert jars.count(".jar") == 1
