"""Shows progress, and knows where output is shown."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Progress = Callable[[int, int], None]


def in_notebook() -> bool:
    """Whether this process is a Jupyter kernel; libraries load IPython elsewhere as well."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def is_interactive() -> bool:
    """Whether a notebook or an interactive shell shows the value of an expression."""
    return in_notebook() or hasattr(sys, "ps1") or bool(sys.flags.interactive)


@contextmanager
def progress_bar(title: str, unit: str, wanted: bool | None) -> Iterator[Progress]:
    """Shows how many units are done, from the first report on.

    None shows it in a terminal and in notebooks.
    """
    shown = wanted if wanted is not None else sys.stderr.isatty() or in_notebook()
    if not shown:
        yield lambda done, all_: None
        return
    from tqdm.auto import tqdm

    lock = threading.Lock()
    bar: Any = None
    with ExitStack() as stack:

        def show(done: int, all_: int) -> None:
            nonlocal bar
            with lock:
                if bar is None:
                    bar = stack.enter_context(tqdm(desc=title, unit=unit, unit_scale=True))
                bar.total = all_ or None
                bar.update(done - bar.n)

        yield show
