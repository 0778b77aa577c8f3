"""`spark-sbbf install` and `uninstall` on a folder that looks like a Spark."""

import os

import pytest

from spark_sbbf import cli
from spark_sbbf.bridge import EXTENSIONS

USERS = """# our cluster
spark.master  local[1]
spark.jars  /opt/iceberg.jar
spark.sql.extensions=org.example.Iceberg
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A Spark 4.3 without settings; the JAR to install says `first`."""
    for variable in ("SPARK_CONF_DIR", "SPARK_REMOTE"):
        monkeypatch.delenv(variable, raising=False)
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "spark-core_2.13-4.3.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    version(tmp_path, monkeypatch, "1.0.0", "first")
    return home


def version(folder, monkeypatch, number, content):
    jar = folder / f"spark-sbbf_2.13-{number}.jar"
    jar.write_text(content)
    monkeypatch.setenv("SPARK_SBBF_JAR", str(jar))


def tree(home):
    return {str(p.relative_to(home)): p.read_bytes() for p in home.rglob("*") if p.is_file()}


def conf(home, text):
    (home / "conf").mkdir(exist_ok=True)
    (home / "conf" / "spark-defaults.conf").write_text(text)


@pytest.mark.parametrize("users", [None, USERS, "spark.master local[1]"])
def test_uninstall_gives_back_every_byte(home, users):
    if users is not None:
        conf(home, users)
    before = tree(home)
    assert cli.main(["install"]) == 0
    assert tree(home) != before
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before
    assert (home / "conf").exists() == (users is not None) and not (home / "sbbf").exists()


def test_install_adds_to_the_lists_that_are_there(home):
    conf(home, USERS)
    assert cli.main(["install"]) == 0
    installed = home / "sbbf" / "spark-sbbf_2.13-1.0.0.jar"
    assert installed.read_text() == "first"
    text = (home / "conf" / "spark-defaults.conf").read_text()
    assert text == USERS.replace("iceberg.jar", f"iceberg.jar,{installed}").replace(
        "org.example.Iceberg", f"org.example.Iceberg,{EXTENSIONS}"
    )


def test_install_shows_what_it_changes_and_a_dry_run_changes_nothing(home, capsys):
    conf(home, USERS)
    before = tree(home)
    assert cli.main(["install", "--dry-run"]) == 0
    dry = capsys.readouterr().out
    assert tree(home) == before
    assert cli.main(["install"]) == 0
    real = capsys.readouterr().out
    assert dry == real + "nothing was changed: a dry run\n"
    for shown in ("- spark.jars  /opt/iceberg.jar", "+ spark.jars  /opt/iceberg.jar,", "bytes)"):
        assert shown in real
    assert "spark.master" not in real


def test_installing_twice_changes_nothing_more(home, capsys):
    assert cli.main(["install"]) == 0
    once = tree(home)
    capsys.readouterr()
    assert cli.main(["install"]) == 0
    assert (tree(home), capsys.readouterr().out) == (once, "nothing to change\n")


def test_uninstalling_what_is_not_there_changes_nothing(home, capsys):
    conf(home, USERS)
    assert cli.main(["uninstall"]) == 0
    assert capsys.readouterr().out == "nothing to change\n"


def test_a_newer_jar_takes_the_place_of_the_installed_one(home, tmp_path, monkeypatch):
    conf(home, USERS)
    before = tree(home)
    assert cli.main(["install"]) == 0
    version(tmp_path, monkeypatch, "1.1.0", "second")
    assert cli.main(["install"]) == 0
    assert [p.name for p in (home / "sbbf").iterdir()] == ["spark-sbbf_2.13-1.1.0.jar"]
    text = (home / "conf" / "spark-defaults.conf").read_text()
    assert text.count("spark-sbbf_2.13-1.1.0.jar") == 1 and "1.0.0" not in text
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before


def test_the_folder_of_settings_may_be_elsewhere(home, tmp_path, monkeypatch):
    elsewhere = tmp_path / "etc"
    monkeypatch.setenv("SPARK_CONF_DIR", str(elsewhere))
    assert cli.main(["install"]) == 0
    assert EXTENSIONS in (elsewhere / "spark-defaults.conf").read_text()
    assert not (home / "conf").exists()


def test_a_link_to_shared_settings_stays_a_link_and_keeps_its_mode(home, tmp_path):
    shared = tmp_path / "shared.conf"
    shared.write_text(USERS)
    shared.chmod(0o640)
    (home / "conf").mkdir()
    link = home / "conf" / "spark-defaults.conf"
    link.symlink_to(shared)
    assert cli.main(["install"]) == 0
    assert link.is_symlink() and EXTENSIONS in shared.read_text()
    assert shared.stat().st_mode & 0o777 == 0o640


def test_a_spark_that_may_not_be_written_is_said_with_what_to_do(home, monkeypatch, capsys):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    assert cli.main(["install"]) == 1
    said = capsys.readouterr().err
    assert "cannot change" in said and "Permission denied" in said and "SPARK_CONF_DIR" in said
    assert "spark-sbbf_2.13-1.0.0.jar" in said


def test_without_a_spark_nothing_is_installed(home, monkeypatch, capsys):
    (home / "jars" / "spark-core_2.13-4.3.0.jar").unlink()
    monkeypatch.setattr("spark_sbbf.jar._pyspark_home", lambda: None)
    assert cli.main(["install"]) == 1
    assert "no Spark found: install pyspark" in capsys.readouterr().err
