"""Reaches spark-sbbf by SQL on the catalog ``sbbf``, in classic and Spark Connect sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

KEY = "spark.sql.catalog.sbbf"
CATALOG = "io.sbbf.spark.catalog.SbbfCatalog"


def has_catalog(session: Any) -> bool:
    """Returns whether the session has the catalog, by its extension or by ``enable``.

    Use it before a statement that names the catalog: without the JAR, Spark rejects the name.
    """
    (setting,) = session.sql(f"SET {KEY}").collect()
    return bool(setting.value == CATALOG)


def add_catalog(session: Any) -> None:
    """Registers the catalog in a session that has the JAR."""
    if not has_catalog(session):
        session.conf.set(KEY, CATALOG)


def start(session: Any) -> None:
    """Registers the catalog in a session that has the JAR, and enables pruning."""
    session.conf.set(KEY, CATALOG)
    _switch(session, "on")


def stop(session: Any) -> None:
    """Disables pruning: removes the rules that ``start`` added, or disables the extension."""
    _switch(session, "off")


def findings(session: Any) -> dict[str, str]:
    """Returns the versions and settings of the session, under short names."""
    rows = session.sql("SELECT name, value FROM sbbf.session.doctor").collect()
    return {row.name: row.value for row in rows}


def report_json(df: Any) -> str:
    """Returns what pruning does to a query, as JSON."""
    with as_view(df) as view:
        (row,) = df.sparkSession.sql(f"SELECT report FROM sbbf.reports.{view}").collect()
    return str(row.report)


def last_report_json(session: Any) -> str | None:
    """Returns what pruning did to the session's last statement, as JSON; None before the first."""
    rows = session.sql("SELECT report FROM sbbf.session.last_report").collect()
    return str(rows[0].report) if rows else None


@contextmanager
def as_view(df: Any) -> Iterator[str]:
    """Creates a temporary view with the DataFrame's own plan, and gives its random name."""
    view = f"sbbf_{uuid4().hex}"
    df.createTempView(view)
    try:
        yield view
    finally:
        # Spark's own ways to drop a view also uncache DataFrames with the same plan
        df.sparkSession.sql(f"DROP TABLE sbbf.reports.{view}").collect()


def _switch(session: Any, state: str) -> None:
    session.sql(f"ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = '{state}')").collect()
