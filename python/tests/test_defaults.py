"""Edits of spark-defaults.conf keep every other byte, and an undo gives back each."""

import pytest

from spark_sbbf.defaults import SparkDefaults, items

KEY = "spark.jars"

# The text, and the list that Spark reads of KEY.
TEXTS = {
    "": [],
    "\n": [],
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
    ],
)
def test_an_item_is_removed_wherever_the_user_put_it_and_no_other(value, left):
    defaults = SparkDefaults(f"{KEY} {value}\n")
    defaults.remove(KEY, lambda item: item == "/opt/ours.jar")
    assert items(defaults.settings()[KEY]) == items(left)


def test_removing_what_is_not_there_changes_nothing():
    for text in TEXTS:
        defaults = SparkDefaults(text)
        defaults.remove(KEY, lambda item: item == "/none.jar")
        assert defaults.text == text


def test_a_file_that_is_not_there_has_no_settings(tmp_path):
    assert SparkDefaults.read(tmp_path / "none.conf").settings() == {}
