"""Tests the README's first command: a clean environment installs the package from a clone."""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"

pytestmark = pytest.mark.skipif("SBBF_INSTALL" not in os.environ, reason="make test-install")


def block(language: str) -> str:
    """Returns the README's first block of code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def clean(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user: an empty HOME, and a virtual environment's programs first."""
    venv.create(tmp_path / "venv", with_pip=True)
    (tmp_path / "home").mkdir()
    hidden = ("HOME", "PYTHONPATH", "VIRTUAL_ENV", "SPARK_HOME", "XDG_CACHE_HOME")
    kept = {key: value for key, value in os.environ.items() if key not in hidden}
    path = os.pathsep.join([str(tmp_path / "venv" / "bin"), os.environ["PATH"]])
    return {**kept, "HOME": str(tmp_path / "home"), "PATH": path}


def test_the_first_commands_of_the_readme_prune_a_lookup_from_a_clone(
    tmp_path: Path, clean: dict[str, str]
) -> None:
    clone = tmp_path / "spark-sbbf"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    (install,) = [line for line in block("sh").splitlines() if line.startswith("pip install")]
    assert "./python" in install
    subprocess.run(install, shell=True, cwd=clone, env=clean, check=True)
    script = [str(tmp_path / "venv" / "bin" / "python"), "-c", block("python")]
    done = subprocess.run(script, cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert "1 of 8 row groups" in done.stdout, done.stdout + done.stderr


def test_a_git_address_installs_the_package(tmp_path: Path, clean: dict[str, str]) -> None:
    address = f"git+file://{ROOT}#subdirectory=python"
    subprocess.run(["pip", "install", "--quiet", address], env=clean, check=True)
    done = subprocess.run(["spark-sbbf", "--version"], env=clean, capture_output=True, text=True)
    assert done.stdout.strip() == (ROOT / "VERSION").read_text().strip()
