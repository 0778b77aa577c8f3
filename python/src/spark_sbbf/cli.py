"""Runs the commands of `spark-sbbf`, which `arguments` defines."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from spark_sbbf.advice import as_html, writable, write_page
from spark_sbbf.arguments import parsed
from spark_sbbf.diagnostics import doctor, settings_of
from spark_sbbf.filter_report import FilterReport
from spark_sbbf.filter_size import sizing
from spark_sbbf.install import Change, apply, to_install, to_uninstall
from spark_sbbf.jar import find_spark, jar_path
from spark_sbbf.jvm import run_command
from spark_sbbf.progress import progress_bar
from spark_sbbf.table import common_folder, table
from spark_sbbf.table_index import IndexReport

INSPECT = (
    "file_name row_group_id path_in_schema row_group_num_rows stats_null_count type filter_bytes "
    "fill fpp distinct_estimate"
)
ADVICE = (
    "path_in_schema advice kept_present kept_absent new_kept_present new_kept_absent "
    "new_filter_bytes reason"
)
INDEX = "path_in_schema kind files files_covered segments keys entries bytes newest"
KEYS = "key file_name row_group_id row_group_num_rows evidence"
PROBE = "file_name row_group_id row_group_num_rows verdict evidence"
OWN = ("command", "conf", "json", "report")
"""The arguments that this script does not pass on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status.

    The status is 0, 1 with the reason on standard error, 2 for invalid arguments, or 130 after an
    interrupt.
    """
    args = parsed(arguments)
    try:
        status = COMMANDS[args.command](args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # as under 'head'
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (RuntimeError, OSError) as error:
        print(f"spark-sbbf: {error}", file=sys.stderr)
        return 1
    except ValueError as error:  # arguments that are invalid together
        print(f"spark-sbbf: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _jar(_: Namespace) -> int:
    print(jar_path())
    return 0


def _inspect(args: Namespace) -> int:
    rows = _listed(args, "list", {"path": args.table}, [*INSPECT.split(), "reason"])
    if rows is not None:
        filters = [row for row in rows if row["filter_bytes"] is not None]
        size = sum(row["filter_bytes"] for row in filters)
        files = len({row["file_name"] for row in filters})
        print(f"{len(filters):,} filters in {files:,} files, {size:,} bytes")
    return 0


def _probe(args: Namespace) -> int:
    options = {"path": args.table, "column": args.column}
    if args.keys:
        return _probe_keys(args, options)
    value = {"value_hex" if args.hex else "value": args.value}
    rows = _listed(args, "list", {**options, **value}, [*PROBE.split(), "reason"])
    if rows is not None:
        kept = [row for row in rows if row["verdict"] != "cannot_match"]
        print(f"{len(kept):,} of {len(rows):,} row groups might hold it")
    return 0


def _probe_keys(args: Namespace, options: dict[str, Any]) -> int:
    keys = _lines_of(args.value)
    if args.hex:
        keys = [_as_hex(args.value, number, key) for number, key in enumerate(keys, 1)]
    options |= {"keys": keys, "is_hex": args.hex}
    rows = _listed(args, "keys", options, [*KEYS.split(), "reason"])
    if rows is not None:
        held = len({row["key"] for row in rows})
        places = {(row["file_name"], row["row_group_id"]) for row in rows}
        files = len({name for name, _ in places})
        print(
            f"{len(places):,} row groups in {files:,} files might hold {held:,} of "
            f"{len(set(keys)):,} keys"
        )
    return 0


def _lines_of(name: str) -> list[str]:
    """Returns the lines of a file, or of standard input for ``-``."""
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    text = text.removeprefix("\ufeff")  # the byte order mark, which editors of Windows write
    lines = text.removesuffix("\n").split("\n") if text else []
    if not lines:
        raise ValueError(f"{name} has no keys: write one on each line")
    return [line.removesuffix("\r") for line in lines]


def _as_hex(name: str, number: int, key: str) -> str:
    """Returns the digits without spaces, as the JVM reads them."""
    try:
        return bytes.fromhex(key).hex()
    except ValueError:
        raise ValueError(f"{name}: line {number} is not hexadecimal") from None


def _listed(
    args: Namespace, command: str, options: dict[str, Any], columns: list[str]
) -> list[dict[str, Any]] | None:
    """Prints the rows, and returns them unless as JSON."""
    found = _rows(args, command, {**options, "where": args.where})
    if args.json:
        deque(found, maxlen=0)  # so many rows might not fit into memory
        return None
    rows = list(found)
    folder = common_folder([row["file_name"] for row in rows])
    shown = [{**row, "file_name": row["file_name"][len(folder) :]} for row in rows]
    if rows:
        print(f"{folder}\n{table(shown, columns)}")
    return rows


def _sizing(args: Namespace) -> int:
    size = sizing(args.ndv, args.fpp)
    print(f"{size.bytes:,} bytes, {size.blocks:,} blocks, FPP {size.fpp:.3g}")
    return 0


def _filters(args: Namespace) -> int:
    report = FilterReport.of_rows(_run(args))
    if not args.json:
        print(report)
    report.raise_on_failure()
    return 1 if report.files and len(report.of("refused")) == len(report.files) else 0


def _advise(args: Namespace) -> int:
    if args.report:
        writable(args.report)
    rows = _run(args)
    if not args.json:
        print(table(rows, ADVICE.split()))
    if args.report:
        write_page(args.report, as_html(args.table, rows))
    return 0


def _index_info(args: Namespace) -> int:
    rows = _run(args)
    if not args.json:
        print(table(rows, INDEX.split()) if rows else f"{args.table} has no index")
    return 0


def _drop_index(args: Namespace) -> int:
    (row,) = _run(args)
    if not args.json:
        print(f"deleted {row['bytes']:,} bytes")
    return 0


def _index(args: Namespace) -> int:
    (row,) = _run(args)
    if not args.json:
        change = IndexReport(**row)
        print(change)
        if change.skipped_files:
            print(f"{change.skipped_files:,} files were skipped; {change.reason}", file=sys.stderr)
    return 0


def _run(args: Namespace) -> list[dict[str, Any]]:
    """Runs a command of the JVM, whose options are the arguments that are not this script's own."""
    options = {name: value for name, value in vars(args).items() if name not in OWN}
    return list(_rows(args, args.command.replace("-", "_"), options))


def _rows(args: Namespace, command: str, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Runs a command in a new JVM and yields its rows. Prints them if they are wanted as JSON."""
    spark = find_spark()
    given = {name: value for name, value in options.items() if value is not None}
    unit = "B" if command.endswith("_filters") else "task"
    with (
        progress_bar(args.command, unit, None) as show,
        closing(run_command(spark, command, given, settings_of(spark, dict(args.conf)))) as lines,
    ):
        for line in lines:
            row = json.loads(line)
            if "done" in row:
                show(row["done"], row["all"])
                continue
            if args.json:
                sys.stdout.write(line)
            yield row


def _doctor(args: Namespace) -> int:
    findings = doctor(dict(args.conf))
    if args.json:
        print(json.dumps(findings))
    else:
        width = max(map(len, findings))
        print("\n".join(f"{name:{width}}  {text}" for name, text in findings.items()))
    return 1 if "problem" in findings else 0


def _install(args: Namespace) -> int:
    return _change(to_install(find_spark(), Path(jar_path())), args.dry_run)


def _uninstall(args: Namespace) -> int:
    return _change(to_uninstall(find_spark()), args.dry_run)


def _change(changes: list[Change], dry_run: bool) -> int:
    for change in changes:
        print(change)
    if not changes:
        print("nothing to change")
    elif dry_run:
        print("nothing was changed: a dry run")
    else:
        apply(changes)
    return 0


COMMANDS = {
    "jar": _jar,
    "inspect": _inspect,
    "probe": _probe,
    "sizing": _sizing,
    "add-filters": _filters,
    "drop-filters": _filters,
    "advise": _advise,
    "create-index": _index,
    "refresh-index": _index,
    "index-info": _index_info,
    "drop-index": _drop_index,
    "doctor": _doctor,
    "install": _install,
    "uninstall": _uninstall,
}
