"""Ask Parquet files for bloom filters, give them some, and see to the installed Spark's JAR."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import Any

from spark_sbbf.advice import as_html, write_page
from spark_sbbf.attached import AttachReport
from spark_sbbf.install import Change, apply, to_install, to_uninstall
from spark_sbbf.jar import find_spark, jar_path
from spark_sbbf.jvm import answers
from spark_sbbf.machine import doctor, settings_of
from spark_sbbf.progress import progress_bar
from spark_sbbf.size import sizing
from spark_sbbf.table import common_folder, table
from spark_sbbf.writer import AUTO, DEFAULT_FPP, bloom_options

INSPECT = "file row_group column rows nulls physical_type filter_bytes fill fpp distinct_estimate"
ADVICE = (
    "column advice kept_present kept_absent new_kept_present new_kept_absent new_filter_bytes "
    "reason"
)
FORCE = "also files of Delta, Iceberg and Hudi tables"
FPP = "false positive probability of a filter, between 0 and 1"
PROBE = "file row_group rows verdict evidence"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, or 1 with the reason on standard error."""
    asked = _parser().parse_args(arguments)
    try:
        status: int = asked.run(asked)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # as under 'head'
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (RuntimeError, OSError) as error:
        print(f"spark-sbbf: {error}", file=sys.stderr)
        return 1
    except ValueError as error:  # of arguments that only together are wrong
        print(f"spark-sbbf: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


class _Version(argparse.Action):
    """Looks the version up when it is asked for: a checkout on the path has none."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(metadata.version("spark-sbbf"))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spark-sbbf", description=__doc__)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        added.set_defaults(run=run)
        return added

    command("jar", _jar, "print the path of the JAR, for spark-submit --jars")
    inspect = command("inspect", _inspect, "list the bloom filters of Parquet files")
    probe = command("probe", _probe, "tell which row groups might hold a value, and what says so")
    for asking in (inspect, probe):
        asking.add_argument("path", help="a file, a folder or a pattern, of any store Hadoop has")
    probe.add_argument("column", help="dotted path of the field")
    probe.add_argument("value", help="as text that Spark casts to the column's type")
    probe.add_argument("--hex", action="store_true", help="the value is bytes in hexadecimal")
    sized = command("sizing", _sizing, "tell how large a filter has to be")
    sized.add_argument("ndv", type=_count, help="distinct values of a row group")
    sized.add_argument("fpp", type=float, nargs="?", default=DEFAULT_FPP, help=FPP)
    add = command("attach", _attach, "give existing Parquet files bloom filters")
    drop = command("detach", _detach, "take bloom filters out of existing Parquet files")
    for changing, columns in ((add, "+"), (drop, "*")):
        changing.add_argument("path", help="a file, a folder or a pattern, of any store Hadoop has")
        changing.add_argument("columns", nargs=columns, help="dotted Parquet paths of the fields")
        changing.add_argument("--force", action="store_true", help=FORCE)
        changing.add_argument("--dry-run", action="store_true", help="only tell what would be done")
    add.add_argument("--fpp", type=_probability, default=DEFAULT_FPP, help=f"{FPP}, or 'auto'")
    add.add_argument("--replace", action="store_true", help="also filters that are there")
    advised = command("advise", _advise, "tell what filters would cost and give, by column")
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
    checked = command("doctor", _doctor, "tell what sessions of the installed Spark would run on")
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
    for name, plan, text in (
        ("install", lambda: to_install(find_spark(), Path(jar_path())), "put the JAR into"),
        ("uninstall", lambda: to_uninstall(find_spark()), "take the JAR out of"),
    ):
        added = command(name, _change, f"{text} the installed Spark, for all of its sessions")
        added.set_defaults(plan=plan)
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


def _jar(_: argparse.Namespace) -> int:
    print(jar_path())
    return 0


def _inspect(asked: argparse.Namespace) -> int:
    rows = _listed(asked, {"path": asked.path}, [*INSPECT.split(), "reason"])
    if rows is not None:
        filters = [row for row in rows if row["filter_bytes"] is not None]
        size = sum(row["filter_bytes"] for row in filters)
        files = len({row["file"] for row in filters})
        print(f"{len(filters):,} filters in {files:,} files, {size:,} bytes")
    return 0


def _probe(asked: argparse.Namespace) -> int:
    value = {"valueHex" if asked.hex else "value": asked.value}
    options = {"path": asked.path, "column": asked.column, **value}
    rows = _listed(asked, options, [*PROBE.split(), "reason"])
    if rows is not None:
        kept = [row for row in rows if row["verdict"] != "CannotMatch"]
        print(f"{len(kept):,} of {len(rows):,} row groups might hold it")
    return 0


def _listed(
    asked: argparse.Namespace, options: dict[str, str], columns: list[str]
) -> list[dict[str, Any]] | None:
    """Prints the rows; answers them if as a table."""
    spark = find_spark()
    settings = settings_of(spark, dict(asked.conf))
    with closing(answers(spark, "list", options, settings)) as lines:
        if asked.json:
            for line in lines:
                sys.stdout.write(line)
            return None
        rows = [json.loads(line) for line in lines]
    folder = common_folder([row["file"] for row in rows])
    shown = [{**row, "file": row["file"][len(folder) :]} for row in rows]
    if rows:
        print(f"{folder}\n{table(shown, columns)}")
    return rows


def _sizing(asked: argparse.Namespace) -> int:
    size = sizing(asked.ndv, asked.fpp)
    print(f"{size.bytes:,} bytes, {size.blocks:,} blocks, FPP {size.fpp:.3g}")
    return 0


def _attach(asked: argparse.Namespace) -> int:
    options = bloom_options(*asked.columns, fpp=asked.fpp)
    return _changed(asked, "attach", {**options, "replace": str(asked.replace).lower()})


def _detach(asked: argparse.Namespace) -> int:
    options = bloom_options(*asked.columns) if asked.columns else {}
    return _changed(asked, "detach", {**options, "drop": "true"})


def _changed(asked: argparse.Namespace, title: str, options: dict[str, str]) -> int:
    """Runs the JVM of a Spark job of its own, and tells what became of the files."""
    spark = find_spark()
    flags = {"force": str(asked.force).lower(), "dry_run": str(asked.dry_run).lower()}
    settings = settings_of(spark, dict(asked.conf))
    rows = []
    with (
        progress_bar(title, "B", None) as show,
        closing(
            answers(spark, "attach", {"path": asked.path, **options, **flags}, settings)
        ) as lines,
    ):
        for line in lines:
            row = json.loads(line)
            if "done" in row:
                show(row["done"], row["all"])
            else:
                rows.append(row)
    if asked.json:
        for row in rows:
            print(json.dumps(row))
    report = AttachReport.of_rows(rows)
    if not asked.json:
        print(report)
    report.need_no_failure()
    return 1 if report.files and len(report.of("refused")) == len(report.files) else 0


def _advise(asked: argparse.Namespace) -> int:
    spark = find_spark()
    options = {
        "path": asked.path,
        "fpp": str(asked.fpp),
        "row_groups": str(asked.row_groups),
        "columns": json.dumps(asked.columns),
    }
    with closing(answers(spark, "advise", options, settings_of(spark, dict(asked.conf)))) as lines:
        rows = [json.loads(line) for line in lines]
    if asked.json:
        for row in rows:
            print(json.dumps(row))
    else:
        print(table(rows, ADVICE.split()))
    if asked.report:
        write_page(asked.report, as_html(asked.path, rows))
    return 0


def _doctor(asked: argparse.Namespace) -> int:
    findings = doctor(dict(asked.conf))
    if asked.json:
        print(json.dumps(findings))
    else:
        width = max(map(len, findings))
        print("\n".join(f"{name:{width}}  {text}" for name, text in findings.items()))
    return 1 if "problem" in findings else 0


def _change(asked: argparse.Namespace) -> int:
    changes: list[Change] = asked.plan()
    for change in changes:
        print(change)
    if not changes:
        print("nothing to change")
    elif asked.dry_run:
        print("nothing was changed: a dry run")
    else:
        apply(changes)
    return 0
