"""The commands of `spark-sbbf`, which `arguments` describes."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from spark_sbbf.advice import as_html, writable, write_page
from spark_sbbf.arguments import parsed
from spark_sbbf.attached import AttachReport
from spark_sbbf.install import Change, apply, to_install, to_uninstall
from spark_sbbf.jar import find_spark, jar_path
from spark_sbbf.jvm import answers
from spark_sbbf.machine import doctor, settings_of
from spark_sbbf.progress import progress_bar
from spark_sbbf.size import sizing
from spark_sbbf.table import common_folder, table
from spark_sbbf.writer import bloom_options

INSPECT = "file row_group column rows nulls physical_type filter_bytes fill fpp distinct_estimate"
ADVICE = (
    "column advice kept_present kept_absent new_kept_present new_kept_absent new_filter_bytes "
    "reason"
)
PROBE = "file row_group rows verdict evidence"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns 0, 1 with the reason on standard error, or 130 when interrupted.
    Wrong arguments end the process with 2."""
    asked = parsed(arguments)
    try:
        status = COMMANDS[asked.command](asked)
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


def _jar(_: Namespace) -> int:
    print(jar_path())
    return 0


def _inspect(asked: Namespace) -> int:
    rows = _listed(asked, {"path": asked.path}, [*INSPECT.split(), "reason"])
    if rows is not None:
        filters = [row for row in rows if row["filter_bytes"] is not None]
        size = sum(row["filter_bytes"] for row in filters)
        files = len({row["file"] for row in filters})
        print(f"{len(filters):,} filters in {files:,} files, {size:,} bytes")
    return 0


def _probe(asked: Namespace) -> int:
    value = {"valueHex" if asked.hex else "value": asked.value}
    options = {"path": asked.path, "column": asked.column, **value}
    rows = _listed(asked, options, [*PROBE.split(), "reason"])
    if rows is not None:
        kept = [row for row in rows if row["verdict"] != "CannotMatch"]
        print(f"{len(kept):,} of {len(rows):,} row groups might hold it")
    return 0


def _listed(
    asked: Namespace, options: dict[str, str], columns: list[str]
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


def _sizing(asked: Namespace) -> int:
    size = sizing(asked.ndv, asked.fpp)
    print(f"{size.bytes:,} bytes, {size.blocks:,} blocks, FPP {size.fpp:.3g}")
    return 0


def _attach(asked: Namespace) -> int:
    options = bloom_options(*asked.columns, fpp=asked.fpp)
    return _changed(asked, "attach", {**options, "replace": str(asked.replace).lower()})


def _detach(asked: Namespace) -> int:
    options = bloom_options(*asked.columns) if asked.columns else {}
    return _changed(asked, "detach", {**options, "drop": "true"})


def _changed(asked: Namespace, title: str, options: dict[str, str]) -> int:
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


def _advise(asked: Namespace) -> int:
    if asked.report:
        writable(asked.report)
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


def _doctor(asked: Namespace) -> int:
    findings = doctor(dict(asked.conf))
    if asked.json:
        print(json.dumps(findings))
    else:
        width = max(map(len, findings))
        print("\n".join(f"{name:{width}}  {text}" for name, text in findings.items()))
    return 1 if "problem" in findings else 0


def _install(asked: Namespace) -> int:
    return _change(to_install(find_spark(), Path(jar_path())), asked.dry_run)


def _uninstall(asked: Namespace) -> int:
    return _change(to_uninstall(find_spark()), asked.dry_run)


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
    "attach": _attach,
    "detach": _detach,
    "advise": _advise,
    "doctor": _doctor,
    "install": _install,
    "uninstall": _uninstall,
}
