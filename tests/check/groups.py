"""Lists the groups of tests, and says which of them are in the gate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEGS = (
    ("3.5.9", 17),
    ("4.0.5", 17),
    ("4.1.4", 17),
    ("4.2.1", 17),
    ("4.3.0", 17),
    ("3.5.9", 21),
    ("4.3.0", 21),
    ("4.2.1", 25),
    ("4.3.0", 25),
)
"""Each Spark with the numbers of its JDKs, for `make test-matrix`."""
OTHER_SPARKS = [spark for spark, jdk in LEGS if jdk == 17][:-1]
"""All but the newest, which python-all has."""


@dataclass(frozen=True)
class Group:
    """Tests that run together and whose counts are recorded together.

    A group's reports are the XML files in ``build/reports/NAME``, the variable ``reports`` of make.
    """

    name: str
    target: str
    """What ``make`` runs, with its variables."""
    what: str
    ahead: str = ""
    """What ``make`` runs meanwhile, from the beginning: downloads."""
    has_reports: bool = True
    """Without, whether it succeeds is all that is known of it."""


GATE = (
    Group("lint", "lint-python docs", "style and types of Python, prose, links", has_reports=False),
    Group("unit", "test-unit", "the pure parts of the Python package"),
    Group("jvm", "test-jvm", "JARs, style of Scala, suites on 2.13"),
    Group("python", "test-python", "the wheel on the newest Spark"),
    Group("sparks", "test-sparks", "the wheel on Spark 3.5 and 4.1", "environments"),
)
LARGE = (
    Group("jvm-all", "test-jvm-all", "all suites on both Scala versions"),
    Group("python-all", "test-python-all", "all of the wheel on the newest Spark"),
    Group("install", "test-install", "what is published, and an installation from a clone"),
    *(
        Group(f"spark-{spark}", f"test-matrix ONLY={spark} JAVA=17", f"the wheel on Spark {spark}")
        for spark in OTHER_SPARKS
    ),
    Group("s3", "test-s3", "a local S3 server"),
    Group(
        "verdicts", "fuzz LAYER=1 QUERIES=5000", "random predicates, in the JVM", has_reports=False
    ),
    Group(
        "queries", "fuzz LAYER=2 QUERIES=1000", "random queries, and the oracle", has_reports=False
    ),
    Group("suites", "test-spark", "Spark's own suites, without and with the extension"),
)
GROUPS = (*GATE, *LARGE)
