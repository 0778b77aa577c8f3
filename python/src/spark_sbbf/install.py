"""Adds the JAR and its two settings to an installed Spark, and removes them."""

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

# The first line of a settings file that 'install' created, so that 'uninstall' may remove it.
MADE = "# made by 'spark-sbbf install'"
MADE_WITH_FOLDER = "# made, and its folder, by 'spark-sbbf install'"

FOLDER = "sbbf"
# A file beside the JAR. It marks that the user had named the extension before 'install'.
KEEP_EXTENSION = "keep-extension"


@dataclass(frozen=True)
class Change:
    """A change of one file: its bytes before and after, None if it does not exist."""

    file: Path
    before: bytes | None
    after: bytes | None
    own_folders: int = 1
    """The number of enclosing folders to remove once they are empty."""

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
        """Changes the file atomically, and keeps its owner and mode.

        Raises:
            OSError: If the file cannot be changed. It is then unchanged, and no other file remains.
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
    """Applies all changes or none.

    Raises:
        RuntimeError: If a file cannot be changed.
    """
    done: list[Change] = []
    for change in changes:
        try:
            change.write()
        except OSError as error:
            for made in reversed(done):
                replace(made, before=made.after, after=made.before).write()
            raise RuntimeError(
                f"cannot change {change.file} ({error.strerror}), so nothing was changed: run the "
                "command as the owner of that Spark, or set SPARK_CONF_DIR to a settings folder "
                "that you own"
            ) from error
        done.append(change)


def to_install(spark: Spark, jar: Path) -> list[Change]:
    """Returns the changes that give all sessions of this Spark the extension, if any."""
    target = _folder(spark) / jar.name
    if "," in str(target):
        raise RuntimeError(
            f"cannot install {target}: Spark splits the paths of JARs at commas, so set "
            "SPARK_CONF_DIR to a folder without a comma in its path"
        )

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
    """Returns the changes that undo ``to_install``."""

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
    file = defaults_file(spark.home).resolve()  # keep a link, edit its target
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
    """Returns the folder of the JAR: in the Spark, or beside settings that lie elsewhere.

    In the second case the Spark may belong to someone else, and serve users with other settings.
    """
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
    """Creates a folder that all users can read, whatever the umask of this process."""
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # it has other content
