"""What ``enable`` adds to a builder, before any JVM runs."""

import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from spark_sbbf.bridge import EXTENSIONS


@pytest.fixture(autouse=True)
def jar(tmp_path, monkeypatch):
    """A JAR by name only, and no Spark settings from the machine."""
    for variable in ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", "SPARK_API_MODE"):
        monkeypatch.delenv(variable, raising=False)
    file = tmp_path / "own.jar"
    file.touch()
    monkeypatch.setenv("SPARK_SBBF_JAR", str(file))
    return str(file)


def enabled(builder):
    assert sbbf.enable(builder) is builder
    return builder._options["spark.jars"], builder._options["spark.sql.extensions"]


def test_a_builder_gets_the_jar_and_the_extension(jar):
    assert enabled(SparkSession.builder) == (jar, EXTENSIONS)


def test_what_the_builder_has_stays_in_front(jar):
    builder = SparkSession.builder.config("spark.jars", "a.jar, b.jar")
    builder.config("spark.sql.extensions", "com.example.Mine")
    assert enabled(builder) == (f"a.jar,b.jar,{jar}", f"com.example.Mine,{EXTENSIONS}")


def test_enabling_twice_adds_nothing(jar):
    builder = SparkSession.builder
    assert enabled(builder) == enabled(builder) == (jar, EXTENSIONS)


DEFAULTS = """
# settings of this cluster
spark.jars            /opt/iceberg.jar
spark.sql.extensions\torg.example.Iceberg
spark.sql.nothing
"""


@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "SPARK_HOME"])
def test_the_defaults_of_the_installation_are_added_to_and_not_hidden(
    variable, jar, tmp_path, monkeypatch
):
    folder = tmp_path / "conf"
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text(DEFAULTS)
    monkeypatch.setenv(variable, str(folder if variable == "SPARK_CONF_DIR" else tmp_path))
    assert enabled(SparkSession.builder) == (
        f"/opt/iceberg.jar,{jar}",
        f"org.example.Iceberg,{EXTENSIONS}",
    )


@pytest.mark.parametrize("settings", [{"spark.remote": "sc://x"}, {"spark.api.mode": "connect"}])
def test_a_builder_of_a_connect_session_is_refused_with_what_to_do(settings):
    builder = SparkSession.builder.config(map=settings)
    with pytest.raises(TypeError, match="start the server with --jars"):
        sbbf.enable(builder)


def test_connect_is_also_recognised_by_the_environment(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://x")
    with pytest.raises(TypeError, match="Spark Connect"):
        sbbf.enable(SparkSession.builder)


class Session:
    """Stands for the session class of Spark Connect, whose module needs packages of its own."""

    __module__ = "pyspark.sql.connect.session"


@pytest.mark.parametrize("call", [sbbf.enable, sbbf.disable, sbbf.is_enabled])
def test_a_connect_session_is_refused_with_what_to_do(call):
    with pytest.raises(TypeError, match="spark-sbbf jar"):
        call(Session())


@pytest.mark.parametrize("call", [sbbf.enable, sbbf.disable, sbbf.is_enabled, sbbf.explain])
@pytest.mark.parametrize("target", [None, "spark", 42])
def test_anything_else_is_refused_by_its_type(call, target):
    with pytest.raises(TypeError, match=type(target).__name__):
        call(target)
