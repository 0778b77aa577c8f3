"""SQL statements to the catalog ``sbbf``, in classic sessions and over Spark Connect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

KEY = "spark.sql.catalog.sbbf"
CATALOG = "io.sbbf.spark.catalog.SbbfCatalog"


def has_catalog(session: Any) -> bool:
    """Returns whether a session has the catalog, by its extension or by ``enable``.

    A session without the JAR fails on any use of the catalog, so this reads the setting alone.

    Args:
        session: A session, classic or Spark Connect.

    Returns:
        True if the session's setting names the catalog.
    """
    (setting,) = session.sql(f"SET {KEY}").collect()
    return bool(setting.value == CATALOG)


def add_catalog(session: Any) -> None:
    """Adds the catalog to a session that has the JAR.

    Args:
        session: A session, classic or Spark Connect.
    """
    if not has_catalog(session):
        session.conf.set(KEY, CATALOG)


def start(session: Any) -> None:
    """Adds the catalog to a session that has the JAR, and switches the pruning on.

    Args:
        session: A session, classic or Spark Connect.
    """
    session.conf.set(KEY, CATALOG)
    _switch(session, "on")


def stop(session: Any) -> None:
    """Removes the pruning that ``start`` added. If the session has the extension, switches it off.

    Args:
        session: A session that has the catalog.
    """
    _switch(session, "off")


def findings(session: Any) -> dict[str, str]:
    """Returns the versions, the state and the settings of spark-sbbf in a session.

    Args:
        session: A session that has the catalog.

    Returns:
        Short names and their values as text.
    """
    rows = session.sql("SELECT name, value FROM sbbf.session.doctor").collect()
    return {row.name: row.value for row in rows}


def report_json(df: Any) -> str:
    """Returns the pruning report of a query.

    Args:
        df: A DataFrame whose session has the catalog.

    Returns:
        The report as JSON, which ``PruneReport.from_json`` reads.
    """
    with as_view(df) as view:
        (row,) = df.sparkSession.sql(f"SELECT report FROM sbbf.reports.{view}").collect()
    return str(row.report)


@contextmanager
def as_view(df: Any) -> Iterator[str]:
    """Registers the plan of a DataFrame as a temporary view while the ``with`` block runs.

    Args:
        df: A DataFrame whose session has the catalog.

    Yields:
        The name of the view. It is random, so it clashes with no other query.
    """
    view = f"sbbf_{uuid4().hex}"
    df.createTempView(view)
    try:
        yield view
    finally:
        # Spark's own ways to drop a view also uncache other queries of the same plan.
        df.sparkSession.sql(f"DROP TABLE sbbf.reports.{view}").collect()


def _switch(session: Any, state: str) -> None:
    session.sql(f"ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = '{state}')").collect()
