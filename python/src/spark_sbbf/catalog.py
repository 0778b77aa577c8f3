"""What SQL can say to spark-sbbf, in a classic session as over Spark Connect: catalog ``sbbf``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

KEY = "spark.sql.catalog.sbbf"
CATALOG = "io.sbbf.spark.catalog.SbbfCatalog"


def has_catalog(session: Any) -> bool:
    """Whether the session has the catalog, from its extension or from having been enabled.

    In a session without the JAR to name the catalog is an error, so whoever only asks looks here.
    """
    (setting,) = session.sql(f"SET {KEY}").collect()
    return bool(setting.value == CATALOG)


def add_catalog(session: Any) -> None:
    """Makes the catalog known to a session that has the JAR."""
    if not has_catalog(session):
        session.conf.set(KEY, CATALOG)


def start(session: Any) -> None:
    """Brings the catalog into a session that has the JAR, and starts the pruning."""
    session.conf.set(KEY, CATALOG)
    _switch(session, "on")


def stop(session: Any) -> None:
    """Takes out what ``start`` brought; where an extension is at work, switches it off."""
    _switch(session, "off")


def findings(session: Any) -> dict[str, str]:
    """What runs in the session, under short names."""
    rows = session.sql("SELECT name, value FROM sbbf.session.doctor").collect()
    return {row.name: row.value for row in rows}


def report_json(df: Any) -> str:
    """What pruning does to a query, as JSON."""
    with as_view(df) as view:
        (row,) = df.sparkSession.sql(f"SELECT report FROM sbbf.reports.{view}").collect()
    return str(row.report)


@contextmanager
def as_view(df: Any) -> Iterator[str]:
    """The name of a view of this session that has the DataFrame's own plan.

    It is drawn at random, and so that of no other query.
    """
    view = f"sbbf_{uuid4().hex}"
    df.createTempView(view)
    try:
        yield view
    finally:
        # Spark's own ways to drop a view would also uncache what has the same plan
        df.sparkSession.sql(f"DROP TABLE sbbf.reports.{view}").collect()


def _switch(session: Any, state: str) -> None:
    session.sql(f"ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = '{state}')").collect()
