"""Tests that the documentation covers the code's reasons, versions and pages."""

import re
from pathlib import Path

import pytest
from markdown.extensions.toc import slugify

from spark_sbbf.jar import SCALA_OF_SPARK

ROOT = Path(__file__).parents[2]
TROUBLESHOOTING = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")

# Sources with the reasons why a row group is kept or a filter rejected, and their patterns.
SOURCES = {
    "jvm/parquet/src/main/scala/io/sbbf/parquet/model/LeafResult.scala": r'= unknown\("([^"]+)"\)',
    "jvm/parquet/src/main/scala/io/sbbf/parquet/result/ScanPruning.scala": r'val \w+ = "([^"]+)"',
    "jvm/parquet/src/main/scala/io/sbbf/parquet/prune/FilePruner.scala": r'case .* => "([^"]+)"',
    "jvm/parquet/src/main/scala/io/sbbf/parquet/footer/FooterReader.scala": (
        r'UnusableFile\("([^"]+)"\)'
    ),
    "jvm/parquet/src/main/scala/io/sbbf/parquet/input/Decryption.scala": (
        r'UnusableFile\("([^"]+)"\)'
    ),
    "jvm/parquet/src/main/scala/io/sbbf/parquet/chunk/FilterReader.scala": (
        r'(?:Rejected|UnusableFilter|Some)\("([^"]+)"\)'
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_troubleshooting_explains_every_reason_that_the_code_gives(source):
    reasons = re.findall(SOURCES[source], (ROOT / source).read_text(encoding="utf-8"))
    assert len(reasons) >= 2
    assert [reason for reason in reasons if f"`{reason}`" not in TROUBLESHOOTING] == []


def test_the_supported_versions_are_those_that_a_jar_is_chosen_for():
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d\.\d) \| (\d\.\d+) \| `spark-sbbf_", page, re.MULTILINE)
    assert dict(listed) == SCALA_OF_SPARK


def test_the_documentation_names_the_artifact_of_this_version():
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    named = re.findall(r"spark-sbbf_2\.\d\d[-:](\d+\.\d+\.\d+)", text)
    assert set(named) == {version}


def test_every_page_is_in_the_menu_and_every_image_is_used():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    docs = ROOT / "docs"
    assert [p.name for p in docs.glob("*.md") if f" {p.name}" not in menu] == []
    text = "".join(p.read_text(encoding="utf-8") for p in docs.glob("*.md"))
    assert [p.name for p in docs.glob("images/*") if f"images/{p.name}" not in text] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_the_links_outside_of_the_site_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)", text)
    assert [path for path, _ in links if not (ROOT / path).is_file()] == []
    assert [link for link in links if link[1] and link[1] not in anchors(ROOT / link[0])] == []


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [slugify(heading, "-") for heading in headings]


def test_the_numbers_of_the_readme_are_those_of_the_results_files():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    row = r"^\| [^|]+ \| ([\d,]+) ms \| ([\d,]+) ms \| (?:\[[^]]+\]\(([^)]+)\)|the same file) \|$"
    rows = re.findall(row, text, re.MULTILINE)
    assert len(rows) == 3
    missing, results = [], ""
    for alone, ours, file in rows:
        results = (ROOT / file).read_text(encoding="utf-8") if file else results
        for name, number in (("Spark alone", alone), ("extension", ours)):
            if not re.search(rf"^ +{name} +{number.replace(',', '')}  ", results, re.MULTILINE):
                missing.append((name, number))
    assert missing == []
    bars = re.findall(r"^(?:Spark alone|spark-sbbf) +[▁▇]+ +(\d+) ms$", text, re.MULTILINE)
    assert bars == list(rows[0][:2]), "the picture shows the first row"


INDEXED = {
    "spark-sbbf with the index": "extension",
    "Spark that gets only the file": "the oracle",
    "spark-sbbf without the index": "without an index",
}


def test_the_lookups_with_an_index_are_those_of_the_results_files():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    texts = [
        (ROOT / "benchmarks" / "results" / f"index{files}-jdk17.txt").read_text(encoding="utf-8")
        for files in ("", "-10000", "-100000")
    ]
    measured = [part for text in texts for part in text.split("  present key: ")[1:]]
    assert len(rows) == 6 and len(measured) == 4
    for name, *numbers in rows:
        for number, part in zip(numbers, measured, strict=True):
            line = rf"^ +{re.escape(INDEXED.get(name, name))} +{number}  "
            assert re.search(line, part.split("absent key")[0], re.MULTILINE), (name, number)
