"""Putting the JAR and its two settings into an installed Spark, and taking them out again."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spark_sbbf.bridge import EXTENSIONS
from spark_sbbf.defaults import SparkDefaults, defaults_file
from spark_sbbf.jar import Spark

JARS_KEY, EXTENSIONS_KEY = "spark.jars", "spark.sql.extensions"


@dataclass(frozen=True)
class Change:
    """A file with its bytes before and after; None where it is not there."""

    file: Path
    before: bytes | None
    after: bytes | None

    def __str__(self) -> str:
        if self.file.suffix == ".jar":
            if self.after is None:
                return f"remove  {self.file}"
            return f"{'replace' if self.before else 'add'}  {self.file} ({len(self.after):,} bytes)"
        old, new = ((side or b"").decode().splitlines() for side in (self.before, self.after))
        changed = [line for line in difflib.ndiff(old, new) if line[:1] in "+-"]
        return "\n".join([f"edit  {self.file}", *(f"    {line}" for line in changed)])

    def apply(self) -> None:
        """Raises RuntimeError where the file may not be written."""
        try:
            self._write()
        except OSError as error:
            raise RuntimeError(
                f"cannot change {self.file} ({error.strerror}): run this as the owner of that "
                "Spark, or set SPARK_CONF_DIR to a folder of settings that is yours"
            ) from error

    def _write(self) -> None:
        if self.after is None:
            self.file.unlink()
            _remove_if_empty(self.file.parent)
            return
        target = self.file.resolve()  # a link stays one
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(self.after)
        if target.exists():
            shutil.copymode(target, fresh)
        else:
            os.chmod(fresh, 0o644)
        os.replace(fresh, target)


def to_install(spark: Spark, jar: Path) -> list[Change]:
    """What makes every session of this Spark have the extension; nothing where they all do."""
    target = _folder(spark) / jar.name
    if "," in str(target):
        raise RuntimeError(f"Spark takes no JAR from a folder with a comma in its name: {target}")

    def edit(defaults: SparkDefaults) -> None:
        defaults.remove(JARS_KEY, lambda item: _is_ours(spark, item) and item != str(target))
        defaults.add(JARS_KEY, str(target))
        defaults.add(EXTENSIONS_KEY, EXTENSIONS)

    old = [_removal(file) for file in _installed(spark) if file != target]
    new = Change(target, target.read_bytes() if target.is_file() else None, jar.read_bytes())
    return _real([new, _edit(spark, edit), *old])


def to_uninstall(spark: Spark) -> list[Change]:
    """What takes out of this Spark what ``to_install`` puts in."""

    def edit(defaults: SparkDefaults) -> None:
        defaults.remove(JARS_KEY, lambda item: _is_ours(spark, item))
        defaults.remove(EXTENSIONS_KEY, lambda item: item == EXTENSIONS)

    return _real([_edit(spark, edit), *(_removal(file) for file in _installed(spark))])


def _edit(spark: Spark, edit: Callable[[SparkDefaults], None]) -> Change:
    file = defaults_file(spark.home)
    before = file.read_bytes() if file.is_file() else None
    defaults = SparkDefaults((before or b"").decode())
    edit(defaults)
    after = defaults.text.encode()
    return Change(file, before, after or None)


def _removal(file: Path) -> Change:
    return Change(file, file.read_bytes(), None)


def _real(changes: list[Change]) -> list[Change]:
    return [change for change in changes if (change.before or None) != change.after]


def _folder(spark: Spark) -> Path:
    return spark.home.resolve() / "sbbf"


def _installed(spark: Spark) -> list[Path]:
    return sorted(_folder(spark).glob("*.jar"))


def _is_ours(spark: Spark, item: str) -> bool:
    return Path(item).parent == _folder(spark)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # something else is in it
