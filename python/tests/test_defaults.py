"""Tests that edits of spark-defaults.conf keep every other byte, and that undo restores all."""

import pytest

from spark_sbbf.defaults import SparkDefaults, items

KEY = "spark.jars"

# The text, and the list that Spark reads of KEY.
TEXTS = {
    "": [],
    "\n": [],
    " ": [],
    "spark.x a\n \n": [],
    "# only a comment": [],
    "spark.master local[1]\n": [],
    "spark.master local[1]": [],
    "spark.jars /a.jar\n": ["/a.jar"],
    "spark.jars=/a.jar": ["/a.jar"],
    "spark.jars = /a.jar , /b.jar  \n# end\n": ["/a.jar", "/b.jar"],
    "spark.jars:\t/a.jar\n\nspark.x y\n": ["/a.jar"],
    "spark.jars /a.jar,\\\n    /b.jar\nspark.x y\n": ["/a.jar", "/b.jar"],
    "spark.jars /old.jar\nspark.jars /new.jar\n": ["/new.jar"],
    "#spark.jars /off.jar\n! spark.jars /off.jar\n": [],
    "spark.jars.packages a:b:1\nspark.jars /a.jar\n": ["/a.jar"],
    "spark.jars /a.jar\r\nspark.x y\r\n": ["/a.jar"],
    "spark.jars /a.jar,\\\r\n  /b.jar\r\n": ["/a.jar", "/b.jar"],
    "spark.jars\n": [],
    "spark.jars =  \nspark.x y": [],
    "spark.jars ,": [],
    "spark.x a\\": [],
    "spark.x a\\\n": [],
    "spark.x a\\\n\n": [],
    "# spark.x a\\\n": [],
    "spark.jars \\\n": [],
    "\\\n": [],
    "spark.jars /a.jar\\\n": ["/a.jar"],
    "spark.jars /a.jar\\": ["/a.jar"],
    "spark.jars /a.jar,\\\n": ["/a.jar"],
    "spark.jars C\\:/a.jar,/b\\=c.jar\n": ["C:/a.jar", "/b=c.jar"],
    "spark\\.jars /\\u0061.jar\n": ["/a.jar"],
    "spark.jars /d\\\\\nspark.x y\n": ["/d\\"],
    "spark.jars \udcff.jar\nspark.x \udcfe\n": ["\udcff.jar"],
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_list_is_what_spark_reads(text):
    assert items(SparkDefaults(text).settings().get(KEY, "")) == TEXTS[text]


@pytest.mark.parametrize("text", TEXTS)
def test_an_added_item_is_last_and_its_removal_gives_back_every_byte(text):
    defaults = SparkDefaults(text)
    before = defaults.settings()
    defaults.add(KEY, "/opt/ours.jar")
    after = defaults.settings()
    assert items(after.pop(KEY)) == [*TEXTS[text], "/opt/ours.jar"]
    assert after == {key: value for key, value in before.items() if key != KEY}
    defaults.remove(KEY, lambda item: item == "/opt/ours.jar")
    assert defaults.text == text


@pytest.mark.parametrize("text", TEXTS)
def test_adding_twice_adds_once(text):
    defaults = SparkDefaults(text)
    defaults.add(KEY, "/opt/ours.jar")
    once = defaults.text
    defaults.add(KEY, "/opt/ours.jar")
    assert defaults.text == once


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ("/opt/ours.jar,/b.jar", "/b.jar"),
        ("/a.jar, /opt/ours.jar, /b.jar", "/a.jar, /b.jar"),
        ("/opt/ours.jar.old,/opt/ours.jar", "/opt/ours.jar.old"),
        ("/my/opt/ours.jar,/opt/ours.jar", "/my/opt/ours.jar"),
        ("local:/opt/ours.jar,/b.jar,/opt/ours.jar", "local:/opt/ours.jar,/b.jar"),
        ("/b.jar,local:/opt/ours.jar,/opt/ours.jar", "/b.jar,local:/opt/ours.jar"),
        ("/a.jar,\\\n  /opt/ours.jar", "/a.jar"),
        ("/a.jar,\\\n  /opt/ours.jar,\\\n  /b.jar", "/a.jar,/b.jar"),
        ("\\\n  /opt/ours.jar,\\\n  /b.jar", "/b.jar"),
        ("/a.jar \\\n  ,/opt/ours.jar", "/a.jar"),
        ("/a.jar\\\n,/opt/ours.jar\\\n, /b.jar", "/a.jar,/b.jar"),
        ("/a\\:b.jar,/opt\\/ours.jar", "/a:b.jar"),
    ],
)
def test_an_item_is_removed_wherever_the_user_put_it_and_no_other(value, left):
    defaults = SparkDefaults(f"{KEY} {value}\nspark.x y\n")
    defaults.remove(KEY, lambda item: item == "/opt/ours.jar")
    assert defaults.settings().keys() == {KEY, "spark.x"}
    assert items(defaults.settings()[KEY]) == items(left)


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (r"spark.x \\d+", "spark.x", r"\d+"),
        (r"spark.x a\:b\=c", "spark.x", "a:b=c"),
        (r"a\:b\=c\ d = x", "a:b=c d", "x"),
        (r"spark.x a\tb\u00e9", "spark.x", "a\tb\u00e9"),
        (r"spark.x C\temp", "spark.x", "C\temp"),
        ("spark.x = = y", "spark.x", "= y"),
        ("spark.x\\\n  y z", "spark.xy", "z"),
        ("spark.x y # z", "spark.x", "y # z"),
        ("spark.x a\\\n# b", "spark.x", "a# b"),
    ],
)
def test_a_line_is_read_as_java_reads_it(line, key, value):
    assert SparkDefaults(line).settings() == {key: value}


def test_an_item_with_a_backslash_is_written_so_that_it_is_read_again():
    defaults = SparkDefaults("")
    defaults.add(KEY, r"/a\b.jar")
    assert defaults.settings() == {KEY: r"/a\b.jar"}


def test_bytes_that_are_not_utf_8_are_read_and_given_back(tmp_path):
    file = tmp_path / "spark-defaults.conf"
    file.write_bytes(b"# caf\xe9\nspark.x \xff\nspark.y z\n")
    assert SparkDefaults.read(file).settings()["spark.y"] == "z"
    assert SparkDefaults.decode(file.read_bytes()).encode() == file.read_bytes()


def test_removing_what_is_not_there_changes_nothing():
    for text in TEXTS:
        defaults = SparkDefaults(text)
        defaults.remove(KEY, lambda item: item == "/none.jar")
        assert defaults.text == text


def test_a_file_that_is_not_there_has_no_settings(tmp_path):
    assert SparkDefaults.read(tmp_path / "none.conf").settings() == {}
