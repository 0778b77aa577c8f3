"""Putting the JAR and its two settings into an installed Spark, and taking them out again."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from spark_sbbf.bridge import EXTENSIONS
from spark_sbbf.defaults import SparkDefaults, defaults_file, items
from spark_sbbf.jar import Spark

JARS_KEY, EXTENSIONS_KEY = "spark.jars", "spark.sql.extensions"


# The first line of a file of settings that was not there: tells 'uninstall' that it may go.
MADE = "# made by 'spark-sbbf install'"
MADE_WITH_FOLDER = "# made, and its folder, by 'spark-sbbf install'"

FOLDER = "sbbf"
# A file beside the JAR, where the settings named the extension before: it is the user's then.
KEEP_EXTENSION = "keep-extension"


@dataclass(frozen=True)
class Change:
    """A file with its bytes before and after; None where it is not there."""

    file: Path
    before: bytes | None
    after: bytes | None
    own_folders: int = 1
    """How many of the folders around it go, too, once nothing is left in them."""

    def __str__(self) -> str:
        if self.file.suffix == ".jar" or self.file.name == KEEP_EXTENSION:
            if self.after is None:
                return f"remove  {self.file}"
            return f"{'replace' if self.before else 'add'}  {self.file} ({len(self.after):,} bytes)"
        old, new = (
            (side or b"").decode(errors="replace").splitlines()
            for side in (self.before, self.after)
        )
        changed = [line for line in difflib.ndiff(old, new) if line[:1] in "+-"]
        return "\n".join([f"edit  {self.file}", *(f"    {line}" for line in changed)])

    def write(self) -> None:
        """The file is as it was or as it shall be at any time, and keeps its owner and mode.

        Raises OSError where that cannot be, and then leaves nothing behind.
        """
        try:
            if self.after is None:
                self.file.unlink()
            else:
                _make(self.file.parent)
                self._replace(self.after)
        finally:
            for folder in islice(self.file.parents, self.own_folders):
                _remove_if_empty(folder)

    def _replace(self, content: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=f".{self.file.name}.")
        fresh = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            mode = 0o644
            if self.file.exists():
                old, new = self.file.stat(), fresh.stat()
                if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                    os.chown(fresh, old.st_uid, old.st_gid)
                mode = stat.S_IMODE(old.st_mode)
            fresh.chmod(mode)
            os.replace(fresh, self.file)
        finally:
            fresh.unlink(missing_ok=True)


def apply(changes: Sequence[Change]) -> None:
    """Makes all changes, or none: raises RuntimeError where a file may not be written."""
    done: list[Change] = []
    for change in changes:
        try:
            change.write()
        except OSError as error:
            for made in reversed(done):
                replace(made, before=made.after, after=made.before).write()
            raise RuntimeError(
                f"cannot change {change.file} ({error.strerror}), so nothing was changed: run this "
                "as the owner of that Spark, or set SPARK_CONF_DIR to a folder of settings that "
                "is yours"
            ) from error
        done.append(change)


def to_install(spark: Spark, jar: Path) -> list[Change]:
    """What makes every session of this Spark have the extension; nothing where they all do."""
    target = _folder(spark) / jar.name
    if "," in str(target):
        raise RuntimeError(f"Spark takes no JAR from a folder with a comma in its name: {target}")

    def edit(defaults: SparkDefaults) -> None:
        defaults.remove(JARS_KEY, lambda item: _is_ours(spark, item) and item != str(target))
        defaults.add(JARS_KEY, str(target))
        defaults.add(EXTENSIONS_KEY, EXTENSIONS)

    installed = _installed(spark)
    old = [_removal(file) for file in installed if file != target]
    own_folders = 1 if target.parent.parent.is_dir() else 2
    new = Change(target, _content(target), jar.read_bytes(), own_folders)
    keep = _keep_extension(spark)
    users = not installed and EXTENSIONS in _extensions(spark)
    return _real(
        [new, *([Change(keep, _content(keep), b"")] if users else []), _edit(spark, edit), *old]
    )


def to_uninstall(spark: Spark) -> list[Change]:
    """What takes out of this Spark what ``to_install`` puts in."""

    def edit(defaults: SparkDefaults) -> None:
        defaults.remove(JARS_KEY, lambda item: _is_ours(spark, item))
        if not keep.is_file():
            defaults.remove(EXTENSIONS_KEY, lambda item: item == EXTENSIONS)

    keep = _keep_extension(spark)
    ours = [*_installed(spark), *([keep] if keep.is_file() else [])]
    settings = _edit(spark, edit)
    beside = settings.own_folders and settings.file.parent == _folder(spark).parent
    return _real([settings, *(_removal(file, 2 if beside else 1) for file in ours)])


def _edit(spark: Spark, edit: Callable[[SparkDefaults], None]) -> Change:
    file = defaults_file(spark.home).resolve()  # a link stays one
    before = _content(file)
    new = MADE if file.parent.is_dir() else MADE_WITH_FOLDER
    defaults = SparkDefaults(f"{new}\n") if before is None else SparkDefaults.decode(before)
    edit(defaults)
    with_folder = defaults.lines[0] == MADE_WITH_FOLDER
    nothing_else = defaults.text in (f"{MADE}\n", f"{MADE_WITH_FOLDER}\n")
    return Change(file, before, None if nothing_else else defaults.encode(), int(with_folder))


def _removal(file: Path, own_folders: int = 1) -> Change:
    return Change(file, file.read_bytes(), None, own_folders)


def _real(changes: list[Change]) -> list[Change]:
    return [change for change in changes if change.before != change.after]


def _folder(spark: Spark) -> Path:
    """In the Spark, or beside the settings where these lie elsewhere: the Spark may be another's,
    and have other settings for others."""
    home, settings = spark.home.resolve(), defaults_file(spark.home).parent.resolve()
    return (home if settings == (home / "conf").resolve() else settings) / FOLDER


def _installed(spark: Spark) -> list[Path]:
    return sorted(_folder(spark).glob("*.jar"))


def _keep_extension(spark: Spark) -> Path:
    return _folder(spark) / KEEP_EXTENSION


def _extensions(spark: Spark) -> list[str]:
    settings = SparkDefaults.read(defaults_file(spark.home)).settings()
    return items(settings.get(EXTENSIONS_KEY, ""))


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _is_ours(spark: Spark, item: str) -> bool:
    return Path(item).parent == _folder(spark)


def _make(folder: Path) -> None:
    """For all to read, as the files in it, whatever the mask of this process."""
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # something else is in it
