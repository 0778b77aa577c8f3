"""Progress bars for terminals and notebooks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Function that takes the number of units done and the number of all units."""


def in_notebook() -> bool:
    """Returns whether this process is a Jupyter kernel.

    IPython may be loaded elsewhere, so this checks for a kernel.

    Returns:
        True in a kernel.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


@contextmanager
def progress_bar(title: str, unit: str, wanted: bool | None) -> Iterator[Progress]:
    """Shows a progress bar while the ``with`` block runs.

    Args:
        title: Text before the bar.
        unit: Unit of the counts, for example ``"B"``.
        wanted: Whether to show the bar. None shows it in terminals and notebooks.

    Yields:
        A function that updates the bar, from any thread.
    """
    shown = wanted if wanted is not None else sys.stderr.isatty() or in_notebook()
    if not shown:
        yield lambda done, all_: None
        return
    from tqdm.auto import tqdm

    lock = threading.Lock()
    with tqdm(desc=title, unit=unit, unit_scale=True) as bar:

        def show(done: int, all_: int) -> None:
            with lock:
                bar.total = all_ or None
                bar.update(done - bar.n)

        yield show
