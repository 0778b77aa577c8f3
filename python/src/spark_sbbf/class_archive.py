"""Gives a driver's JVM an archive of loaded classes, with which it starts in less time.

The JVM writes and checks the archive: "class data sharing", JEP 350 for Java 17 and 18, and
JDK-8261455 (AutoCreateSharedArchive) from Java 19 on.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from spark_sbbf.jar import Spark
from spark_sbbf.java import java_version

AUTOMATIC_JAVA = 19
"""The first Java that writes and renews an archive by itself."""

USE, WRITE = "-XX:SharedArchiveFile", "-XX:ArchiveClassesAtExit"


def with_archive(java_options: str, spark: Spark, java: str, jar: str) -> str:
    """Returns a driver's Java options with an archive for this Spark, Java and JAR.

    Java 17 and 18 get a flag to write the archive when the JVM exits, and once it exists, one to
    use it. Newer ones do both with one flag. Archives of older JARs or JDKs in the same places are
    removed. Options that name an archive stay as they are.

    Raises:
        OSError: If the folder for archives cannot be made.
    """
    if USE in java_options or WRITE in java_options:
        return java_options
    archive = _archive(spark, java, jar)
    _prepare_folder(archive)
    # The JVM runs without an archive that it cannot use; nobody needs its warnings.
    added = ["-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    if java_version(java) >= AUTOMATIC_JAVA:
        added += ["-XX:+AutoCreateSharedArchive", f"{USE}={_quoted(archive)}"]
    else:
        added.append(f"{USE if _is_whole(archive) else WRITE}={_quoted(archive)}")
    return " ".join([java_options, *added]).lstrip()


def archive_folder() -> Path:
    """Returns the folder of archives: ``spark-sbbf`` in ``XDG_CACHE_HOME``, else ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "spark-sbbf")


def _archive(spark: Spark, java: str, jar: str) -> Path:
    """Returns the archive's path, named after Spark's and Java's places and their contents."""
    home = Path(java).resolve().parents[1]
    release = home / "release"
    places = _digest(str(spark.home), str(home))
    contents = _digest(
        spark.version,
        jar,
        str(Path(jar).stat().st_mtime_ns),
        release.read_text(encoding="utf-8", errors="replace") if release.is_file() else "",
    )
    return archive_folder() / f"classes-{places}-{contents}.jsa"


def _quoted(path: Path) -> str:
    """Quotes a path with blanks, at which Spark splits options."""
    return f'"{path}"' if " " in str(path) else str(path)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _prepare_folder(archive: Path) -> None:
    """Makes the folder, private to the user: the JVM runs code from the archives in it."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.parent.chmod(0o700)
    same_places = archive.name.rsplit("-", 1)[0]
    for other in archive.parent.glob(f"{same_places}-*.jsa"):
        if other != archive:
            with suppress(OSError):  # Windows keeps a file that a JVM uses
                other.unlink()


def _is_whole(archive: Path) -> bool:
    """Returns whether the JVM finished the archive: it writes the header, with a magic, last."""
    if not archive.is_file():
        return False
    with archive.open("rb") as file:
        return any(file.read(4))
