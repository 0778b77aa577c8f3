"""Tests that setup reports what a machine lacks before it downloads anything."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check-tools"
BASH = shutil.which("bash")


@pytest.fixture
def machine(tmp_path):
    """Runs the script on a machine that has only the given programs; each is a line of bash."""

    def run(environment=(), **programs):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, line in programs.items():
            program = folder / name.replace("python3_", "python3.")
            program.write_text(f"#!{BASH}\n{line}\n")
            program.chmod(0o755)
        known = {k: v for k, v in os.environ.items() if k not in ("PYTHON", "JAVA_HOME")}
        settings = {**known, "PATH": str(folder), **dict(environment)}
        return subprocess.run([BASH, str(SCRIPT)], env=settings, capture_output=True, text=True)

    return run


def java(version):
    return f"echo 'openjdk version \"{version}\" 2025-04-15' >&2"


GOOD_PYTHON = f'exec {sys.executable} "$@"'
OLD_PYTHON = "exit 1"
NO_VENV = '[[ "$2" != *ensurepip* ]]'


def test_a_good_machine_yields_the_python_to_use(machine):
    done = machine(python3=GOOD_PYTHON, java=java("17.0.15"))
    assert (done.returncode, done.stdout) == (0, "python3\n")


def test_the_newest_python_that_runs_is_chosen(machine):
    done = machine(
        python3_13="exit 127", python3_12=GOOD_PYTHON, python3=GOOD_PYTHON, java=java("21.0.3")
    )
    assert done.stdout == "python3.12\n"


def test_an_explicit_python_is_the_only_one_tried(machine):
    done = machine({"PYTHON": "python3.12"}, python3=GOOD_PYTHON, java=java("17.0.15"))
    assert done.returncode == 1
    assert "python3.12" in done.stderr and "make PYTHON=" in done.stderr


@pytest.mark.parametrize(
    ("said", "programs"),
    [
        ("Python 3.11 or newer", {"java": java("17.0.15")}),
        ("Python 3.11 or newer", {"python3": OLD_PYTHON, "java": java("17.0.15")}),
        ("virtual environments", {"python3": NO_VENV, "java": java("17.0.15")}),
        ("does not run", {"python3": GOOD_PYTHON}),
        ("does not run", {"python3": GOOD_PYTHON, "java": "exit 1"}),
        ("is version 11", {"python3": GOOD_PYTHON, "java": java("11.0.2")}),
        ("is version 1", {"python3": GOOD_PYTHON, "java": java("1.8.0_292")}),
        ("is version 25", {"python3": GOOD_PYTHON, "java": java("25.0.3")}),
        ("cannot read the version", {"python3": GOOD_PYTHON, "java": "echo hello"}),
    ],
)
def test_the_script_reports_what_is_missing_too_old_or_too_new(machine, said, programs):
    done = machine(**programs)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


def test_the_script_reports_a_java_home_without_java(machine, tmp_path):
    home = str(tmp_path / "jdk")
    done = machine({"JAVA_HOME": home}, python3=GOOD_PYTHON, java=java("17.0.15"))
    assert done.returncode == 1 and home in done.stderr


def test_the_script_reports_everything_that_is_missing_at_once(machine):
    done = machine(java=java("11.0.2"))
    assert "Python 3.11" in done.stderr and "version 11" in done.stderr
