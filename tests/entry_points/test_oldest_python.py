"""Tests the whole package on the oldest Python that each Spark supports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from pyspark import __version__

from harness import fresh

pytestmark = pytest.mark.full

OLDEST = {"3.5": "3.9", "4.0": "3.9", "4.1": "3.10", "4.2": "3.10", "4.3": "3.11"}
# No package needs code compiled for one Python: jinja2's markupsafe works without it.
PACKAGES = ("pyspark", "py4j", "spark_sbbf", "jinja2", "markupsafe", "tqdm")

# In a Python of 2020.
SCRIPT = """
    table, page = sys.argv[1:]
    print("#", "%d.%d" % sys.version_info[:2])
    spark = sbbf.enable(builder()).getOrCreate()
    ids = spark.range(0, 4000, 1, 2)
    ids.write.options(**sbbf.bloom_options("id", fpp=0.001)).parquet(table)
    found = sbbf.inspect(spark, table).where("filter_bytes > 0").count()
    probed = sbbf.probe(spark, table, "id", 7).where("verdict = 'might_match'").count()
    report = sbbf.explain(spark.read.parquet(table).where("id = 7"))
    print("#", found, probed, report.scans[0].row_groups_kept, "<svg" in report._repr_html_())
    done = sbbf.add_filters(spark, table, "id", replace=True, progress=True).of("done")
    dropped = sbbf.drop_filters(spark, table).of("done")
    query = "SELECT * FROM parquet.`%s` WHERE id = 7" % table
    advised = sbbf.advise(spark, table, queries=query, report=page)
    print("#", len(done), len(dropped), advised.count(), "<svg" in Path(page).read_text())
    print("#", sbbf.sizing(1000, 0.01).bytes, sbbf.doctor(spark)["extension"])
    sbbf.disable(spark)
    from spark_sbbf import cli
    inspect, probe = ["inspect", table], ["probe", table, "id", "7", "--json"]
    for words in (["jar"], inspect, probe, ["doctor"], ["sizing", "9"], ["install", "--dry-run"]):
        print("#", words[0], cli.main(words))
"""


def python(version: str) -> str:
    """Returns an interpreter of this version, from the PATH or from pyenv."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    installed = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    for name in [shutil.which(f"python{version}"), *map(str, installed)]:
        if name and subprocess.run([name, "-V"], capture_output=True).returncode == 0:
            return name
    pytest.skip(f"no Python {version} at hand, the oldest for Spark {__version__}")


def test_everything_works_on_the_oldest_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = OLDEST[".".join(__version__.split(".")[:2])]
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec and spec.origin
        (packages / name).symlink_to(Path(spec.origin).parent)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("PYSPARK_PYTHON", python(version))
    files = (str(tmp_path / "table"), str(tmp_path / "page.html"))
    printed = fresh(SCRIPT, *files, python=python(version))
    commands = [f"{name} 0" for name in ("jar", "inspect", "probe", "doctor", "sizing", "install")]
    assert printed == [version, "2 1 1 True", "2 2 1 True", "2048 active", *commands]
