import pytest

from spark_sbbf import cli, jar


@pytest.fixture
def spark_home(tmp_path, monkeypatch):
    """Makes a folder that looks like a Spark of the given versions the one in use."""
    monkeypatch.delenv("SPARK_SBBF_JAR", raising=False)
    monkeypatch.setattr(jar, "_pyspark_home", lambda: None)

    def make(spark, scala):
        home = tmp_path / f"spark-{spark}"
        (home / "jars").mkdir(parents=True)
        (home / "jars" / f"spark-core_{scala}-{spark}.jar").touch()
        monkeypatch.setenv("SPARK_HOME", str(home))

    return make


@pytest.fixture
def bundle(tmp_path, monkeypatch):
    folder = tmp_path / "bundle"
    folder.mkdir()
    for name in ("spark-sbbf_2.12-1.2.3.jar", "spark-sbbf_2.13-1.2.3.jar"):
        (folder / name).touch()
    monkeypatch.setattr(jar, "JARS", folder)
    return folder


@pytest.mark.parametrize(
    ("spark", "scala"),
    [("3.5.9", "2.12"), ("4.0.5", "2.13"), ("4.1.4", "2.13"), ("4.2.1", "2.13"), ("4.3.0", "2.13")],
)
def test_each_supported_spark_gets_the_jar_of_its_scala(spark, scala, spark_home, bundle):
    spark_home(spark, scala)
    assert jar.jar_path() == str(bundle / f"spark-sbbf_{scala}-1.2.3.jar")


@pytest.mark.parametrize(
    ("spark", "scala"), [("3.4.4", "2.12"), ("3.5.9", "2.13"), ("4.4.0", "2.13"), ("5.0.0", "3")]
)
def test_an_unsupported_spark_is_refused_with_the_supported_ones_named(spark, scala, spark_home):
    spark_home(spark, f"{scala}.0" if scala == "3" else scala)
    message = rf"Spark {spark}.*3\.5 \(Scala 2\.12\).*4\.3.*Set SPARK_SBBF_JAR"
    with pytest.raises(RuntimeError, match=message):
        jar.jar_path()


@pytest.mark.parametrize(
    "versions", [("3.4.4",), ("4.4.0",), ("3.4.4", "2.12.18"), ("3.5.9", "2.13.8")]
)
def test_an_unsupported_spark_that_runs_elsewhere_is_refused_too(versions, bundle, monkeypatch):
    monkeypatch.delenv("SPARK_SBBF_JAR", raising=False)
    message = rf"Spark {versions[0]}.* is not supported; supported are .*Set SPARK_SBBF_JAR"
    with pytest.raises(RuntimeError, match=message):
        jar.jar_path(*versions)


def test_the_installed_pyspark_counts_where_there_is_no_spark_home(tmp_path, bundle, monkeypatch):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.delenv("SPARK_SBBF_JAR", raising=False)
    assert jar.jar_path() == str(bundle / "spark-sbbf_2.13-1.2.3.jar")


def test_without_any_spark_the_error_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.delenv("SPARK_SBBF_JAR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr(jar, "_pyspark_home", lambda: None)
    with pytest.raises(RuntimeError, match=r"pip install spark-sbbf\[pyspark\]"):
        jar.jar_path()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"SPARK_HOME .* holds no Spark"):
        jar.jar_path()


def test_a_missing_jar_says_how_to_get_one(spark_home, bundle):
    spark_home("4.3.0", "2.13")
    (bundle / "spark-sbbf_2.13-1.2.3.jar").unlink()
    with pytest.raises(FileNotFoundError, match="reinstall"):
        jar.jar_path()


def test_two_jars_for_one_scala_are_not_guessed_between(spark_home, bundle):
    spark_home("4.3.0", "2.13")
    (bundle / "spark-sbbf_2.13-1.2.4.jar").touch()
    with pytest.raises(FileNotFoundError, match="found 2"):
        jar.jar_path()


def test_the_environment_overrides_the_choice_for_any_spark(tmp_path, spark_home, monkeypatch):
    spark_home("4.4.0", "2.13")
    own = tmp_path / "own.jar"
    own.touch()
    monkeypatch.setenv("SPARK_SBBF_JAR", str(own))
    assert jar.jar_path() == str(own)
    own.unlink()
    with pytest.raises(FileNotFoundError, match=r"SPARK_SBBF_JAR names no file.*unset it"):
        jar.jar_path()


def test_the_command_prints_the_path(spark_home, bundle, capsys):
    spark_home("4.3.0", "2.13")
    assert cli.main(["jar"]) == 0
    assert capsys.readouterr().out == f"{bundle / 'spark-sbbf_2.13-1.2.3.jar'}\n"


def test_the_command_fails_with_the_reason_in_words(spark_home, capsys):
    spark_home("3.4.4", "2.12")
    assert cli.main(["jar"]) == 1
    assert "Spark 3.4.4" in capsys.readouterr().err
