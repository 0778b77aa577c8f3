"""Tests the wheel: it holds two JARs with only our classes, and installs anywhere."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import pytest

WHEELS = sorted((Path(__file__).parents[2] / "python" / "dist").glob("*.whl"))

# Our classes; service files; and the one package of Spark's that reaches its internals.
ALLOWED = re.compile(
    r"io/sbbf/.*\.class|io/sbbf/spark/session/warm-up\.parquet|org/apache/spark/sql/sbbf/[^/]*\.class|META-INF/(MANIFEST\.MF|LICENSE)|"
    r"META-INF/services/org\.apache\.spark\.sql\.(SparkSessionExtensionsProvider|"
    r"sources\.DataSourceRegister)"
)


@pytest.fixture(scope="module")
def wheel() -> Path:
    if len(WHEELS) != 1:
        pytest.skip("no wheel in python/dist: make wheel")
    return WHEELS[0]


@pytest.fixture(scope="module", params=["2.12", "2.13"])
def jar(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory):
    """One of the two JARs, unpacked from the wheel."""
    version = wheel.name.split("-")[1]
    name = f"spark_sbbf/jars/spark-sbbf_{request.param}-{version}.jar"
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract(name, tmp_path_factory.mktemp("wheel")))


def test_the_wheel_holds_python_a_licence_and_one_jar_for_each_scala(
    wheel: Path, say: Callable[[str], None]
) -> None:
    say(f"{wheel.name}: {wheel.stat().st_size:,} bytes")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    jars = [name for name in names if name.endswith(".jar")]
    assert [re.sub(r"-[\d.a-z]+\.jar$", "", Path(name).name) for name in sorted(jars)] == [
        "spark-sbbf_2.12",
        "spark-sbbf_2.13",
    ]
    rest = [name for name in names if name not in jars and ".dist-info/" not in name]
    suffixes = {Path(name).suffix or Path(name).name for name in rest}
    assert suffixes == {".py", ".typed", ".html", ".svg", "LICENSE"}
    assert all(name.startswith("spark_sbbf/") for name in rest)
    assert wheel.stat().st_size < 8_500_000


def test_a_jar_holds_nothing_but_ours(jar: Path, say: Callable[[str], None]) -> None:
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    say(f"{jar.name}: {jar.stat().st_size:,} bytes, {len(names)} entries")
    assert [name for name in names if not ALLOWED.fullmatch(name)] == []
    assert "META-INF/LICENSE" in names
    assert any(name.startswith("io/sbbf/shaded/") for name in names)
    assert jar.stat().st_size < 4_500_000


def test_no_class_needs_a_newer_java_than_its_spark_has(jar: Path) -> None:
    """Java 8 (52) can load the extension of Spark 3.5, which then reports that Java is too old."""
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.endswith(".class"):
                newer = name.startswith("io/sbbf/shaded/") or name in WRITTEN_IN_JAVA
                newest = 55 if newer or "_2.13-" in jar.name else 52
                assert int.from_bytes(archive.read(name)[6:8], "big") <= newest, name


WRITTEN_IN_JAVA = {"io/sbbf/core/bloom/LittleEndian.class"}


def test_the_wheel_installs_its_requirements_and_names_what_is_missing(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "clean", with_pip=True)
    python = str(tmp_path / "clean" / "bin" / "python")
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    quietly = ("--quiet", "--disable-pip-version-check")
    subprocess.run([python, "-m", "pip", "install", *quietly, str(wheel)], check=True)
    script = "import spark_sbbf; print(spark_sbbf.bloom_options('a')); spark_sbbf.enable(None)"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, env=clean)
    assert "parquet.bloom.filter.enabled#a" in done.stdout and done.returncode == 1
    assert "pip install 'spark-sbbf[pyspark]'" in done.stderr.splitlines()[-1]
    command = [str(tmp_path / "clean" / "bin" / "spark-sbbf"), "jar"]
    ran = subprocess.run(command, capture_output=True, text=True, env=clean)
    assert ran.returncode == 1 and "no Spark found" in ran.stderr


def test_both_jars_name_the_extension_and_the_data_source(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        services = "META-INF/services/org.apache.spark.sql."
        said = {
            name: archive.read(services + name).decode().split()
            for name in ("SparkSessionExtensionsProvider", "sources.DataSourceRegister")
        }
        for classes in said.values():
            for named in classes:
                assert f"{named.replace('.', '/')}.class" in archive.namelist()
    assert said["SparkSessionExtensionsProvider"] == ["io.sbbf.spark.SbbfExtensions"]


def test_the_index_would_take_the_wheel(wheel: Path) -> None:
    twine = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    done = subprocess.run(twine, capture_output=True, text=True)
    if "No module named twine" in done.stderr:
        pytest.skip("no twine here")
    assert done.returncode == 0 and "PASSED" in done.stdout, done.stdout + done.stderr


def test_pip_refuses_an_old_python_with_the_one_that_it_wants(wheel: Path, tmp_path: Path) -> None:
    download = [
        sys.executable, "-m", "pip", "download", "--no-index", "--disable-pip-version-check",
        "--no-deps", "--only-binary=:all:", "--python-version", "3.8", "--dest", str(tmp_path),
        str(wheel),
    ]  # fmt: skip
    done = subprocess.run(download, capture_output=True, text=True)
    assert "requires a different Python: 3.8.0 not in '>=3.9'" in done.stderr


def test_a_template_library_is_required_and_pyspark_and_lance_are_extras() -> None:
    extras = ["pylance>=14; extra == 'lance'", "pyspark>=3.5; extra == 'pyspark'"]
    required = ["jinja2>=3.0", "tqdm>=4.62", *extras]
    assert distribution("spark-sbbf").requires == required


def test_the_command_prints_its_version() -> None:
    script = [str(Path(sys.executable).parent / "spark-sbbf"), "--version"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.stdout == f"{distribution('spark-sbbf').version}\n"
