"""Tests that the recipes of the page on upserts run with Delta and Iceberg."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import delta_session
import iceberg_session
from harness import SUPPORT
from lake_session import LINE
from lake_tables import LINES
from processes import ENVIRONMENT

PAGE = Path(__file__).parents[2] / "docs" / "upserts.md"

pytestmark = [
    pytest.mark.skipif(LINE not in LINES, reason=f"no build of both formats for {LINE}"),
    pytest.mark.full,
]


def defaults(warehouse: Path) -> str:
    """Returns the settings that the page takes from the pages of the formats."""
    conf = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.jars.packages": f"{delta_session.PACKAGES[LINE]},{iceberg_session.PACKAGES[LINE]}",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(warehouse / "iceberg"),
    }
    return "".join(f"{key} {value}\n" for key, value in conf.items())


def test_the_recipes_run(tmp_path: Path) -> None:
    conf, folder = tmp_path / "conf", tmp_path / "folder"
    conf.mkdir()
    folder.mkdir()
    (conf / "spark-defaults.conf").write_text(defaults(tmp_path / "warehouse"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, SUPPORT / "code_blocks.py", PAGE, "1"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        env={**ENVIRONMENT, "SPARK_CONF_DIR": str(conf)},
    )
    if "unresolved dependency" in done.stderr and "CI" not in os.environ:
        pytest.skip("cannot fetch the packages of Delta and Iceberg")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
