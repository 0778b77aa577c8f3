"""Tests which Java options name an archive of classes, and when."""

import os

import pytest

from spark_sbbf import class_archive, jar

MAGIC = bytes.fromhex("a8bb0bf0")


@pytest.fixture
def options(tmp_path, monkeypatch):
    """Returns the driver's Java options on a Java, after those that the user set."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ours = tmp_path / "spark-sbbf_2.13-0.1.0.jar"
    ours.write_bytes(b"")

    def of(version="17.0.15", users="", spark="4.3.0"):
        home = tmp_path / "jdk"
        (home / "bin").mkdir(parents=True, exist_ok=True)
        (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
        found = jar.Spark(tmp_path / "spark", spark, "2.13")
        return class_archive.with_archive(users, found, str(home / "bin" / "java"), str(ours))

    of.jar = ours
    of.folder = tmp_path / "cache" / "spark-sbbf"
    return of


def test_java_17_writes_an_archive_first_and_then_uses_it(options):
    first = options().split()
    assert first[-1].startswith(f"-XX:ArchiveClassesAtExit={options.folder}/classes-")
    archive = first[-1].split("=", 1)[1]
    assert not os.path.exists(archive)
    with open(archive, "wb") as file:
        file.write(MAGIC)
    assert options().split()[-1] == f"-XX:SharedArchiveFile={archive}"


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"\0" * 4096])
def test_an_archive_that_its_jvm_did_not_finish_is_written_again(options, content):
    flag, archive = options().split()[-1].split("=", 1)
    with open(archive, "wb") as file:
        file.write(content)
    assert options().split()[-1] == f"{flag}={archive}"


@pytest.mark.parametrize("version", ["19", "21.0.2", "25"])
def test_newer_javas_get_the_flag_that_writes_and_renews_it(options, version):
    assert options(version).split()[-2:-1] == ["-XX:+AutoCreateSharedArchive"]
    assert options(version).split()[-1].startswith("-XX:SharedArchiveFile=")


def test_options_of_the_user_stay_in_front(options):
    assert options(users="-Xss4m -Dx=1").startswith("-Xss4m -Dx=1 -Xlog:cds=off ")


@pytest.mark.parametrize(
    "users", ["-XX:SharedArchiveFile=/a.jsa", "-Xss4m -XX:ArchiveClassesAtExit=/a.jsa"]
)
def test_options_that_name_an_archive_stay_as_they_are(options, users):
    assert options(users=users) == users
    assert not options.folder.exists()


def test_a_new_jar_or_java_gets_a_new_archive_and_the_old_one_goes(options):
    archives = []
    for version in ("17.0.15", "17.0.16"):
        for second in (1, 2):
            os.utime(options.jar, (second, second))
            archives.append(options(version).split("=")[-1])
            with open(archives[-1], "wb") as file:
                file.write(MAGIC)
    assert len(set(archives)) == 4
    assert [str(file) for file in options.folder.iterdir()] == archives[-1:]


def test_an_upgrade_of_spark_in_its_place_replaces_the_archive(options):
    with open(options(spark="4.2.0").split("=")[-1], "wb") as file:
        file.write(MAGIC)
    options(spark="4.3.0")
    assert list(options.folder.iterdir()) == []


def test_a_path_with_blanks_is_quoted(options, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    assert options().endswith('.jsa"') and f'="{tmp_path}/a cache/' in options()


def test_only_the_user_can_write_to_the_folder(options):
    options.folder.mkdir(parents=True, mode=0o777)
    options()
    assert options.folder.stat().st_mode & 0o077 == 0
