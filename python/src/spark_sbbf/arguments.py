"""What can be said on the command line of `spark-sbbf`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from spark_sbbf.writer import AUTO, DEFAULT_FPP

ABOUT = "Ask Parquet files for bloom filters, give them some, and see to the installed Spark's JAR."
FORCE = "also files of Delta, Iceberg and Hudi tables"
FPP = "false positive probability of a filter, between 0 and 1"


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The name of the ``command`` and what belongs to it; ends the process where that is wrong."""
    return _parser().parse_args(arguments)


class _Version(argparse.Action):
    """Looks the version up when it is asked for: a checkout on the path has none."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(metadata.version("spark-sbbf"))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spark-sbbf", description=ABOUT)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")

    command("jar", "print the path of the JAR, for spark-submit --jars")
    inspect = command("inspect", "list the bloom filters of Parquet files")
    probe = command("probe", "tell which row groups might hold a value, and what says so")
    for asking in (inspect, probe):
        asking.add_argument("path", help="a file, a folder or a pattern, of any store Hadoop has")
    probe.add_argument("column", help="dotted path of the field")
    probe.add_argument("value", help="as text that Spark casts to the column's type")
    probe.add_argument("--hex", action="store_true", help="the value is bytes in hexadecimal")
    sized = command("sizing", "tell how large a filter has to be")
    sized.add_argument("ndv", type=_count, help="distinct values of a row group")
    sized.add_argument("fpp", type=float, nargs="?", default=DEFAULT_FPP, help=FPP)
    add = command("attach", "give existing Parquet files bloom filters")
    drop = command("detach", "take bloom filters out of existing Parquet files")
    for changing, columns in ((add, "+"), (drop, "*")):
        changing.add_argument("path", help="a file, a folder or a pattern, of any store Hadoop has")
        changing.add_argument("columns", nargs=columns, help="dotted Parquet paths of the fields")
        changing.add_argument("--force", action="store_true", help=FORCE)
        changing.add_argument("--dry-run", action="store_true", help="only tell what would be done")
    add.add_argument("--fpp", type=_probability, default=DEFAULT_FPP, help=f"{FPP}, or 'auto'")
    add.add_argument("--replace", action="store_true", help="also filters that are there")
    advised = command("advise", "tell what filters would cost and give, by column")
    advised.add_argument("path", help="a file, a folder or a pattern, of any store Hadoop has")
    advised.add_argument("columns", nargs="*", help="dotted Parquet paths; all if none is named")
    advised.add_argument("--fpp", type=_probability, default=AUTO, help=f"{FPP}, or 'auto'")
    advised.add_argument(
        "--row-groups",
        type=_four_or_more,
        default=16,
        metavar="N",
        help="how many have their values read",
    )
    advised.add_argument("--report", type=Path, metavar="FILE", help="write the report as HTML")
    checked = command("doctor", "tell what sessions of the installed Spark would run on")
    for reporting in (inspect, probe, checked, add, drop, advised):
        reporting.add_argument("--json", action="store_true", help="one JSON object a line")
        reporting.add_argument(
            "--conf",
            action="append",
            default=[],
            type=_setting,
            metavar="KEY=VALUE",
            help="a setting of Spark, on top of its spark-defaults.conf; may be repeated",
        )
    for name, text in (("install", "put the JAR into"), ("uninstall", "take the JAR out of")):
        added = command(name, f"{text} the installed Spark, for all of its sessions")
        added.add_argument("--dry-run", action="store_true", help="only show what would change")
    return parser


def _probability(text: str) -> float | str:
    try:
        if text == AUTO or 0 < float(text) < 1:
            return text if text == AUTO else float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, not '{text}'")


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
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, not '{text}'")
    return key, value
