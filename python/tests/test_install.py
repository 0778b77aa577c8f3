"""Tests `spark-sbbf install` and `uninstall` on a folder that looks like a Spark."""

import os
from pathlib import Path

import pytest

from spark_sbbf import cli
from spark_sbbf.bridge import EXTENSIONS
from spark_sbbf.defaults import SparkDefaults

USERS = """# our cluster
spark.master  local[1]
spark.jars  /opt/iceberg.jar
spark.sql.extensions=org.example.Iceberg
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Makes a Spark 4.3 without settings; the JAR to install contains `first`."""
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


def tree(folder):
    """Returns every folder, link and file with its contents, including hidden ones."""
    return {str(p.relative_to(folder)): content(p) for p in folder.rglob("*")}


def content(path):
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() else None


def conf(home, text):
    (home / "conf").mkdir(exist_ok=True)
    (home / "conf" / "spark-defaults.conf").write_bytes(os.fsencode(text))


@pytest.mark.parametrize(
    "users",
    [
        None,
        "",
        "\n",
        USERS,
        "spark.master local[1]",
        "spark.jars\nspark.sql.extensions =\n",
        "spark.master local[1]\\\n",
        "spark.x \\",
        "# caf\udce9\nspark.jars /opt/\udcff.jar\n",
    ],
)
def test_uninstall_gives_back_every_byte(home, users):
    if users is not None:
        conf(home, users)
    before = tree(home)
    assert cli.main(["install"]) == 0
    assert tree(home) != before
    settings = SparkDefaults.read(home / "conf" / "spark-defaults.conf").settings()
    assert EXTENSIONS in settings["spark.sql.extensions"]
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before


def test_a_folder_of_settings_that_was_there_stays(home):
    (home / "conf").mkdir()
    before = tree(home)
    assert cli.main(["install"]) == cli.main(["uninstall"]) == 0
    assert tree(home) == before


def test_what_the_user_adds_to_a_file_that_install_made_stays(home):
    assert cli.main(["install"]) == 0
    file = home / "conf" / "spark-defaults.conf"
    file.write_text(f"{file.read_text()}spark.master local[1]\n")
    assert cli.main(["uninstall"]) == 0
    assert SparkDefaults.read(file).settings() == {"spark.master": "local[1]"}


def test_bytes_that_are_not_utf_8_are_kept_and_shown_as_unknown(home, capsys):
    conf(home, "spark.jars /opt/\udcff.jar\n")
    assert cli.main(["install"]) == 0
    assert b"/opt/\xff.jar," in (home / "conf" / "spark-defaults.conf").read_bytes()
    assert "- spark.jars /opt/\ufffd.jar" in capsys.readouterr().out


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


def test_an_extension_that_the_user_had_named_stays(home):
    conf(home, f"spark.sql.extensions org.example.Iceberg,{EXTENSIONS}\n")
    before = tree(home)
    for _ in range(2):  # installing twice does not make it ours
        assert cli.main(["install"]) == 0
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before


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


def test_a_spark_of_others_is_not_touched_where_the_settings_are_elsewhere(
    home, tmp_path, monkeypatch
):
    before = tree(home)
    for name in ("mine", "theirs"):
        monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / name))
        assert cli.main(["install"]) == 0
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before and not (tmp_path / "theirs").exists()
    mine = SparkDefaults.read(tmp_path / "mine" / "spark-defaults.conf").settings()
    assert Path(mine["spark.jars"]).read_text() == "first"


def test_the_settings_of_a_spark_are_the_same_by_either_name(home, monkeypatch):
    before = tree(home)
    monkeypatch.setenv("SPARK_CONF_DIR", str(home / "conf"))
    assert cli.main(["install"]) == 0
    monkeypatch.delenv("SPARK_CONF_DIR")
    assert cli.main(["uninstall"]) == 0
    assert tree(home) == before


def test_where_nothing_can_be_written_no_folder_stays(home, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(os, "fsync", refuse)
    assert cli.main(["install"]) == 1
    assert not (tmp_path / "none").exists()


def test_what_is_installed_can_be_read_by_all(home):
    before = os.umask(0o077)
    try:
        assert cli.main(["install"]) == 0
    finally:
        os.umask(before)
    for place in (home / "sbbf", home / "conf", *home.glob("sbbf/*"), *home.glob("conf/*")):
        assert place.stat().st_mode & 0o444 == 0o444, place
        assert place.is_file() or place.stat().st_mode & 0o111 == 0o111


@pytest.mark.parametrize("users", [None, "", USERS])
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_to_shared_settings_stays_and_its_target_is_given_back(
    home, tmp_path, users, linked
):
    shared = tmp_path / "shared"
    if linked == "file":
        shared.mkdir()
        (home / "conf").mkdir()
        (home / "conf" / "spark-defaults.conf").symlink_to(shared / "spark-defaults.conf")
    else:
        (home / "conf").symlink_to(shared)
    target = shared / "spark-defaults.conf"
    if users is not None:
        shared.mkdir(exist_ok=True)
        target.write_text(users)
    before = tree(tmp_path)
    assert cli.main(["install"]) == 0
    assert EXTENSIONS in target.read_text()
    assert cli.main(["uninstall"]) == 0
    assert tree(tmp_path) == before


def test_an_edited_file_keeps_its_mode(home):
    conf(home, USERS)
    file = home / "conf" / "spark-defaults.conf"
    file.chmod(0o640)
    assert cli.main(["install"]) == 0
    assert EXTENSIONS in file.read_text() and file.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files away")
def test_an_edited_file_keeps_its_owner(home):
    conf(home, USERS)
    file = home / "conf" / "spark-defaults.conf"
    os.chown(file, 1234, 4321)
    assert cli.main(["install"]) == 0
    assert EXTENSIONS in file.read_text()
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)


def refuse(*_, **__):
    raise PermissionError(1, "Operation not permitted")


def others(home, monkeypatch):
    """Pretends that another user owns the settings, and that files cannot be given to them."""
    status = Path.stat

    def of_another(path, **options):
        found = status(path, **options)
        if path.name != "spark-defaults.conf":
            return found
        return os.stat_result([*found[:4], found.st_uid + 1, *found[5:10]])

    monkeypatch.setattr(Path, "stat", of_another)
    monkeypatch.setattr(os, "chown", refuse)


def read_only(home, monkeypatch):
    monkeypatch.setattr(os, "replace", refuse)


def full(home, monkeypatch):
    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.parametrize("hindrance", [others, read_only, full])
def test_where_a_file_may_not_be_written_nothing_changes_and_the_error_states_a_remedy(
    home, monkeypatch, capsys, hindrance
):
    conf(home, USERS)
    before = tree(home)
    with monkeypatch.context() as patched:
        hindrance(home, patched)
        assert cli.main(["install"]) == 1
    assert tree(home) == before
    said = capsys.readouterr().err
    for part in ("cannot change", "Operation not permitted", "nothing was changed", "CONF_DIR"):
        assert part in said


def test_without_a_spark_nothing_is_installed(home, monkeypatch, capsys):
    (home / "jars" / "spark-core_2.13-4.3.0.jar").unlink()
    monkeypatch.setattr("spark_sbbf.jar._pyspark_home", lambda: None)
    assert cli.main(["install"]) == 1
    assert "holds no Spark: correct it, or unset it" in capsys.readouterr().err
