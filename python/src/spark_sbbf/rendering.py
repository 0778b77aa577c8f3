"""Renders the templates of this package, and escapes every value in them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Returns a rendered template.

    Raises:
        jinja2.UndefinedError: If the template uses a missing value.
    """
    return _templates().get_template(template).render(values)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=PackageLoader("spark_sbbf"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = "{:,}".format
    return environment
