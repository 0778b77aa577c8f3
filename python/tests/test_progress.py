"""Tests where progress is shown."""

from __future__ import annotations

import io
import sys

import pytest

from spark_sbbf.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "wanted", "shown"),
    [
        (Terminal, None, True),
        (io.StringIO, None, False),
        (io.StringIO, True, True),
        (Terminal, False, False),
    ],
)
def test_a_bar_is_shown_in_a_terminal_or_where_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], wanted: bool | None, shown: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with progress_bar("add-filters", "B", wanted) as show:
        show(500, 2000)
        show(2000, 2000)
    output = sys.stderr.getvalue()
    assert ("add-filters: 100%" in output and "2.00k/2.00k" in output) == shown
    assert shown or output == ""
