"""Tests that the JVM's packages follow the order of docs/architecture.md."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = r"(?:io\.sbbf|org\.apache\.spark\.sql\.sbbf)"
MOST_CARRIER_LINES = 50
TOP_LEVEL = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )?"
    r"(?:(?:private(?:\[\w+\])?|sealed|abstract|final|case|implicit|public) )*"
    r"(?:class|object|trait|interface) (\w+)(?:[^{]*?\bextends (\w+))?",
    re.MULTILINE,
)

Imports = dict[str, set[str]]


def main_sources() -> list[Path]:
    return [p for p in ROOT.glob("jvm/*/src/main/**/*") if p.suffix in (".scala", ".java")]


def package_of(text: str) -> str:
    """The package of a source; a second clause would hide imports from this test."""
    clauses = re.findall(rf"^package ({OURS}[\w.]*);?$", text, re.MULTILINE)
    assert len(clauses) == 1, f"expected one package clause, found {clauses}"
    return clauses[0]


def imports_of(sources: dict[str, list[str]]) -> Imports:
    """Which packages each package names, in imports or in full, comments aside."""
    found: Imports = defaultdict(set)
    for package, texts in sources.items():
        for text in texts:
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
            code = re.sub(r"^package .*$", "", code, flags=re.MULTILINE)
            for name in re.findall(rf"\b{OURS}(?:\.\w+)*", code):
                named = nearest(name, sources)
                if named and named != package:
                    found[package].add(named)
    return found


def nearest(name: str, packages: dict[str, list[str]]) -> str | None:
    parts = name.split(".")
    prefixes = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in packages), None)


def against_order(imports: Imports, order: list[str]) -> list[str]:
    """Imports of a package that does not come earlier in the order."""
    place = {package: n for n, package in enumerate(order)}
    return sorted(
        f"{package} -> {named}"
        for package, all_named in imports.items()
        for named in all_named
        if place[named] >= place[package]
    )


def read() -> tuple[dict[str, list[str]], list[str]]:
    sources: dict[str, list[str]] = defaultdict(list)
    for path in main_sources():
        text = path.read_text(encoding="utf-8")
        sources[package_of(text)].append(text)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    order = re.findall(rf"^({OURS}[\w.]*) {{2,}}\S", page, re.MULTILINE)
    return sources, order


def test_the_page_lists_every_package_once():
    sources, order = read()
    assert len(sources) > 25
    assert Counter(order) == Counter(dict.fromkeys(sources, 1))


def test_no_package_imports_from_a_later_one_so_there_is_no_cycle():
    sources, order = read()
    imports = imports_of(sources)
    assert sum(map(len, imports.values())) > 80
    assert against_order(imports, order) == []


def test_a_turned_arrow_is_found():
    sources, order = read()
    sources["io.sbbf.core.bloom"].append("import io.sbbf.spark.scan.{PruneRowGroups, ScanColumns}")
    assert against_order(imports_of(sources), order) == ["io.sbbf.core.bloom -> io.sbbf.spark.scan"]


def test_each_top_level_type_is_in_a_file_of_its_name_or_is_small():
    """A small type may share the file of the type that makes or takes it."""
    misplaced = []
    for path in main_sources():
        text = path.read_text(encoding="utf-8")
        types = list(TOP_LEVEL.finditer(text))
        names = {kind[1] for kind in types}
        sealed = set(re.findall(r"^.*\bsealed\b.*\b(?:class|trait) (\w+)", text, re.MULTILINE))
        ends = [kind.start() for kind in types[1:]] + [len(text)]
        for kind, end in zip(types, ends, strict=True):
            lines = text.count("\n", kind.start(), end)
            allowed = {path.stem} | sealed if path.stem in names else sealed
            if not {kind[1], kind[2]} & allowed and (
                path.stem not in names or lines > MOST_CARRIER_LINES
            ):
                misplaced.append(f"{kind[1]} in {path.name}, {lines} lines")
    assert misplaced == []
