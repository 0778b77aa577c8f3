"""Parses the command line of `spark-sbbf`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from spark_sbbf.writer import AUTO, DEFAULT_FPP, check_probability

ABOUT = (
    "Lists, probes and adds bloom filters of Parquet files, indexes tables, and installs the JAR "
    "into Spark."
)
TABLE_FORMATS = "also change files of Delta, Iceberg and Hudi tables, whose readers may then fail"
TABLE = "a table name, or a file, a folder or a glob pattern of any store of Hadoop"
WHERE = "only files of some partitions, such as \"day >= '2026-11-01'\""
KIND = "sorted keys, or bloom filters of zones"
ITEMS = "rows of a zone, at most; 0 for whole row groups; needs --kind bloom"
FROM_FILTERS = "take the files' own bloom filters, without reading a value; needs --kind bloom"
KEYS = "the value is a file of keys, one a line, or - for standard input"
FPP = "false positive probability of a filter, between 0 and 1"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns the ``command`` and its arguments; ends the process if they are invalid."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.exit(2, parser.format_help())
    return args


class _Version(argparse.Action):
    """Looks the version up only for this option, because a checkout on the path has none."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(metadata.version("spark-sbbf"))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spark-sbbf", description=ABOUT)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")

    command("jar", "print the path of the JAR, for spark-submit --jars")
    inspect = command("inspect", "list the bloom filters of Parquet files")
    probe = command("probe", "show which row groups might hold a value, or which of many keys")
    for reading in (inspect, probe):
        reading.add_argument("table", help=TABLE)
    probe.add_argument("column", help="dotted path of the field")
    probe.add_argument("value", help="as text that Spark casts to the column's type")
    probe.add_argument("--keys", action="store_true", help=KEYS)
    probe.add_argument("--hex", action="store_true", help="the value is bytes in hexadecimal")
    sized = command("sizing", "compute the size of a filter")
    sized.add_argument("ndv", type=_count, help="distinct values of a row group")
    sized.add_argument("fpp", type=float, nargs="?", default=DEFAULT_FPP, help=FPP)
    add = command("add-filters", "add bloom filters to existing Parquet files")
    drop = command("drop-filters", "make readers ignore bloom filters; the files do not shrink")
    for changing, columns in ((add, "+"), (drop, "*")):
        changing.add_argument("table", help=TABLE)
        changing.add_argument("columns", nargs=columns, help="dotted Parquet paths of the fields")
        changing.add_argument("--allow-table-formats", action="store_true", help=TABLE_FORMATS)
        changing.add_argument("--dry-run", action="store_true", help="only report the changes")
    add.add_argument("--fpp", type=_probability, default=DEFAULT_FPP, help=f"{FPP}, or 'auto'")
    add.add_argument("--replace", action="store_true", help="also replace existing filters")
    advised = command("advise", "estimate the cost and the benefit of filters, by column")
    advised.add_argument("table", help=TABLE)
    advised.add_argument(
        "columns", nargs="*", help="dotted Parquet paths; all columns if none is named"
    )
    advised.add_argument("--fpp", type=_probability, default=AUTO, help=f"{FPP}, or 'auto'")
    advised.add_argument(
        "--row-groups",
        type=_four_or_more,
        default=16,
        metavar="N",
        help="number of row groups whose values are read",
    )
    advised.add_argument("--report", type=Path, metavar="FILE", help="write the report as HTML")
    creating = command("create-index", "index columns of a table, for lookups of single values")
    refreshing = command("refresh-index", "index the files that an index does not know yet")
    described = command("index-info", "show what the index of a table covers")
    dropping = command("drop-index", "delete the index of a table")
    indexes = (creating, refreshing, described, dropping)
    for indexing in indexes:
        indexing.add_argument("table", help="a table name, or the folder of a Parquet table")
    creating.add_argument(
        "columns",
        nargs="+",
        help="names or dotted Parquet paths of the fields, or functions: 'tokens(message)', "
        "'lower(email)', 'ngrams(message, 8)'",
    )
    creating.add_argument("--kind", choices=("keys", "bloom"), default="keys", help=KIND)
    creating.add_argument("--items", type=_count, metavar="N", help=ITEMS)
    creating.add_argument("--fpp", type=_number_of_fpp, help=f"{FPP}; needs --kind bloom")
    creating.add_argument("--from-filters", action="store_true", help=FROM_FILTERS)
    for building in (creating, refreshing):
        building.add_argument("--dry-run", action="store_true", help="only estimate size and time")
    for selecting in (inspect, probe, advised, add, drop, creating, refreshing):
        selecting.add_argument("--where", metavar="CONDITION", help=WHERE)
    checked = command("doctor", "report the JVM, the JAR and the settings of the installed Spark")
    for reporting in (inspect, probe, checked, add, drop, advised, *indexes):
        reporting.add_argument("--json", action="store_true", help="print one JSON object a line")
        reporting.add_argument(
            "--conf",
            action="append",
            default=[],
            type=_setting,
            metavar="KEY=VALUE",
            help="a setting of Spark that overrides its spark-defaults.conf; may be repeated",
        )
    for name, text in (("install", "install the JAR into"), ("uninstall", "remove the JAR from")):
        added = command(name, f"{text} the installed Spark, for all its sessions")
        added.add_argument("--dry-run", action="store_true", help="only report the changes")
    return parser


def _probability(text: str) -> float | str:
    try:
        return text if text == AUTO else check_probability("fpp", float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number between 0 and 1, not '{text}'"
        ) from None


def _number_of_fpp(text: str) -> float:
    found = _probability(text)
    if isinstance(found, str):
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, not '{text}'")
    return found


def _count(text: str) -> int:
    if not text.replace("_", "").isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, not '{text}'")
    return int(text)


def _four_or_more(text: str) -> int:
    if _count(text) < 4:
        raise argparse.ArgumentTypeError("expected 4 or more")
    return _count(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError("expected KEY=VALUE")  # the text may hold a credential
    return key, value
