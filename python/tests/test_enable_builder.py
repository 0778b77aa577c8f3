"""Tests what ``enable`` adds to a builder, before any JVM runs."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_sbbf as sbbf
from spark_sbbf import builder as builders
from spark_sbbf.bridge import EXTENSIONS, add_jar
from spark_sbbf.jar import Spark


@pytest.fixture(autouse=True)
def jar(tmp_path, monkeypatch):
    """Sets a JAR by name only, and hides the machine's Spark settings."""
    for name in ("HOME", "CONF_DIR", "REMOTE", "API_MODE", "CONNECT_MODE_ENABLED"):
        monkeypatch.delenv(f"SPARK_{name}", raising=False)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    file = tmp_path / "own.jar"
    file.touch()
    monkeypatch.setenv("SPARK_SBBF_JAR", str(file))
    return str(file)


def enabled(builder):
    """Returns the lists that the builder then has."""
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
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-4.3.0.jar").touch()
    monkeypatch.setenv(variable, str(folder if variable == "SPARK_CONF_DIR" else tmp_path))
    assert enabled(SparkSession.builder) == (
        f"/opt/iceberg.jar,{jar}",
        f"org.example.Iceberg,{EXTENSIONS}",
    )


@pytest.mark.parametrize(
    ("there", "left"),
    [
        ("/opt/spark-sbbf_2.13-0.0.1.jar", ""),
        ("/a.jar,hdfs://x/spark-sbbf_2.12-0.0.1.jar,/b.jar", "/a.jar,/b.jar,"),
        ("/a.jar,file:/opt/spark-sbbf_2.13-0.0.1.jar?x", "/a.jar,"),
        ("/opt/my-spark-sbbf_2.13-0.0.1.jar", "/opt/my-spark-sbbf_2.13-0.0.1.jar,"),
        ("/spark-sbbf_2.13-0.0.1.jar/a.jar", "/spark-sbbf_2.13-0.0.1.jar/a.jar,"),
    ],
)
def test_another_version_of_the_jar_goes_and_nothing_else(there, left, jar):
    builder = SparkSession.builder.config("spark.jars", there)
    assert enabled(builder)[0] == f"{left}{jar}"


@pytest.mark.parametrize("form", ["{}", "file:{}", "file://{}"])
def test_the_same_jar_stays_once_however_it_is_written(form, tmp_path, monkeypatch):
    jar = tmp_path / "spark-sbbf_2.13-1.0.0.jar"
    jar.touch()
    monkeypatch.setenv("SPARK_SBBF_JAR", str(jar))
    builder = SparkSession.builder.config("spark.jars", form.format(jar))
    assert enabled(builder)[0] == form.format(jar)


@pytest.mark.parametrize(
    "arguments",
    [
        "--conf spark.sql.extensions=a.B,c.D pyspark-shell",
        "--master local[2] --conf=spark.sql.extensions=a.B,c.D pyspark-shell",
        "-c spark.sql.extensions=a.B,c.D --conf spark.x=y pyspark-shell",
        "--conf 'spark.sql.extensions=a.B, c.D' --name 'My jars' pyspark-shell",
    ],
)
def test_extensions_of_the_submit_arguments_are_added_to(arguments, jar, monkeypatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert enabled(SparkSession.builder) == (jar, f"a.B,c.D,{EXTENSIONS}")


def test_extensions_of_a_properties_file_are_added_to(jar, tmp_path, monkeypatch):
    (tmp_path / "my.conf").write_text("spark.sql.extensions a.B\n")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path}/my.conf pyspark-shell")
    assert enabled(SparkSession.builder) == (jar, f"a.B,{EXTENSIONS}")


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ("--jars /a.jar pyspark-shell", {}),
        ("--jars=/a.jar pyspark-shell", {"spark.jars": "/b.jar"}),
        ("--conf spark.jars=/a.jar pyspark-shell", {"spark.sql.extensions": "a.B"}),
        ("--packages a:b:1 pyspark-shell", {}),
        ("--conf spark.jars.packages=a:b:1 pyspark-shell", {}),
        ("pyspark-shell", {"spark.jars.packages": "a:b:1", "spark.sql.extensions": "a.B"}),
    ],
)
def test_where_naming_our_jar_would_hide_others_the_session_gets_it_once_it_is_made(
    arguments, settings, jar, monkeypatch
):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    builder = SparkSession.builder.config(map=settings)
    session = Session()
    builder.getOrCreate = lambda: session
    assert sbbf.enable(builder) is builder
    assert builder._options == settings and session.calls == []
    assert builder.getOrCreate() is session
    assert calls(session, jar) == WAY_IN


def test_packages_of_the_defaults_are_not_hidden_either(tmp_path, monkeypatch):
    (tmp_path / "spark-defaults.conf").write_text("spark.jars.packages a:b:1\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert sbbf.enable(SparkSession.builder)._options == {}


class Setting:
    value = "<undefined>"


class Session:
    """Stands for the session class of Spark Connect, whose module needs packages of its own."""

    __module__ = "pyspark.sql.connect.session"
    version = "4.1.4"

    def __init__(self):
        self.calls = []
        self.conf = self

    def sql(self, statement):
        self.calls.append(statement)
        return self

    def collect(self):
        return [Setting]

    def addArtifact(self, path):
        self.calls.append(path)

    def set(self, key, value):
        self.calls.append(f"{key}={value}")


WAY_IN = [
    "SET spark.sql.catalog.sbbf",
    "the jar",
    "spark.sql.catalog.sbbf=io.sbbf.spark.catalog.SbbfCatalog",
    "ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = 'on')",
]


def calls(session, jar):
    return ["the jar" if line == jar else line for line in session.calls]


@pytest.mark.parametrize("settings", [{"spark.remote": "sc://x"}, {"spark.api.mode": "connect"}])
@pytest.mark.parametrize("make", ["getOrCreate", "create"])
def test_a_builder_of_a_connect_session_enables_it_once_it_is_made(settings, make, jar):
    builder = SparkSession.builder.config(map=settings)
    session = Session()
    setattr(builder, make, lambda: session)
    assert sbbf.enable(builder) is builder
    assert builder._options == settings and session.calls == []
    assert getattr(builder, make)() is session
    assert calls(session, jar) == WAY_IN


@pytest.mark.parametrize("variable", ["SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"])
def test_connect_is_also_recognised_by_the_environment(variable, monkeypatch):
    monkeypatch.setenv(variable, "sc://x")
    builder = sbbf.enable(SparkSession.builder)
    assert builder._options == {}


def test_a_running_connect_session_gets_the_jar_and_the_catalog_by_sql_alone(jar):
    session = Session()
    assert sbbf.enable(session) is session
    assert calls(session, jar) == WAY_IN


def test_a_connect_session_gets_the_jar_over_the_network_once(jar):
    session, other = Session(), Session()
    for _ in range(3):
        add_jar(session)
    add_jar(other)
    assert session.calls.count(jar) == other.calls.count(jar) == 1


def test_a_connect_session_that_was_never_enabled_is_only_checked_for_the_catalog(jar):
    session = Session()
    sbbf.disable(session)
    assert not sbbf.is_enabled(session)
    assert sbbf.doctor(session) == {
        "spark": "4.1.4",
        "extension": "not in this session: sbbf.enable(spark)",
    }
    assert set(session.calls) == {"SET spark.sql.catalog.sbbf"}


class OldSession(Session):
    __module__ = "pyspark.sql.connect.session"
    version = "3.5.9"


OLD = (
    "from Spark 4.0 on, and this is Spark 3.5.9: use a classic session, or start the server with "
    "--jars .* --conf spark.sql.extensions=io.sbbf.spark.SbbfExtensions"
)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (sbbf.enable, ()),
        (sbbf.disable, ()),
        (sbbf.is_enabled, ()),
        (sbbf.doctor, ()),
        (sbbf.inspect, ("t",)),
        (sbbf.probe, ("t", "key", 7)),
        (sbbf.advise, ("t",)),
        (sbbf.add_filters, ("t", "key")),
        (sbbf.drop_filters, ("t",)),
    ],
)
def test_a_connect_session_of_spark_3_is_refused_with_what_to_do(call, arguments):
    with pytest.raises(RuntimeError, match=OLD):
        call(OldSession(), *arguments)


def test_a_builder_of_a_connect_session_of_spark_3_is_refused_with_what_to_do():
    builder = SparkSession.builder.remote("sc://x")
    builder.getOrCreate = OldSession
    with pytest.raises(RuntimeError, match=OLD):
        sbbf.enable(builder).getOrCreate()


JAVA_OPTIONS = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")


def of_line(version, scala):
    return lambda: Spark(Path("/opt/spark"), version, scala)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (None, "--add-modules=jdk.incubator.vector"),
        ("-Xss4m -Da=b", "-Xss4m -Da=b --add-modules=jdk.incubator.vector"),
        ("--add-modules jdk.incubator.vector", "--add-modules jdk.incubator.vector"),
    ],
)
def test_spark_3_gets_the_java_option_for_vector_code_behind_the_user_s(
    user, expected, monkeypatch
):
    monkeypatch.setattr(builders, "find_spark", of_line("3.5.9", "2.12"))
    builder = SparkSession.builder
    if user:
        builder.config(map=dict.fromkeys(JAVA_OPTIONS, user))
    sbbf.enable(sbbf.enable(builder))
    assert [builder._options[key] for key in JAVA_OPTIONS] == [expected, expected]


def test_spark_4_gets_no_java_option_as_it_has_it(monkeypatch):
    monkeypatch.setattr(builders, "find_spark", of_line("4.0.5", "2.13"))
    assert not set(JAVA_OPTIONS) & set(sbbf.enable(SparkSession.builder)._options)


def test_a_jvm_that_runs_gets_no_java_option_either(monkeypatch):
    monkeypatch.setattr(builders, "find_spark", of_line("3.5.9", "2.12"))
    monkeypatch.setattr("pyspark.SparkContext._gateway", object())
    assert not set(JAVA_OPTIONS) & set(sbbf.enable(SparkSession.builder)._options)


@pytest.mark.parametrize("call", [sbbf.enable, sbbf.disable, sbbf.is_enabled, sbbf.explain])
@pytest.mark.parametrize("target", [None, "spark", 42])
def test_anything_else_is_refused_by_its_type(call, target):
    with pytest.raises(TypeError, match=type(target).__name__):
        call(target)
