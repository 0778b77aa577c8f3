"""What the wheel takes from outside this folder: version, README, licence and JARs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import Any, TextIO

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SCALA = ("2.12", "2.13")
SOURCES = (
    "build.sbt",
    "project/*.sbt",
    "project/build.properties",
    "LICENSE",
    "jvm/*/src/main",
    "jvm/*/src/main/**/*",
)
"""What the JARs are made of, beside VERSION, which is in their names."""
LAUNCHER = "maven-artifact==0.3.5"
"""Fetches sbt; what `make setup` installs, too."""


def version(root: Path) -> str:
    """The one version of the repository; ``root`` is this folder."""
    return (root.parent / "VERSION").read_text(encoding="utf-8").strip()


def folders(root: Path) -> dict[str, Path]:
    """The folder of the JAR of each Scala version: of an sdist, or of sbt."""
    if is_unpacked(root):
        return dict.fromkeys(SCALA, root / "src" / "spark_sbbf" / "jars")
    return {scala: root.parent / "jvm/spark/target" / f"scala-{scala}" for scala in SCALA}


def is_unpacked(root: Path) -> bool:
    """Whether this is an unpacked sdist, which brings its JARs and has no sbt build beside it."""
    return (root / "PKG-INFO").is_file()


def must_build(root: Path) -> bool:
    """Whether a JAR of this version is missing, or older than a source."""
    if is_unpacked(root):
        return False
    # folders as well: their times change when a file is removed
    sources = [path for pattern in SOURCES for path in root.parent.glob(pattern)]
    newest = max(path.stat().st_mtime for path in sources)
    made = [
        folder / f"spark-sbbf_{scala}-{version(root)}.jar"
        for scala, folder in folders(root).items()
    ]
    return not all(jar.is_file() and jar.stat().st_mtime >= newest for jar in made)


def jars(root: Path) -> list[Path]:
    """One JAR of this version for each Scala version: those that are there, or fresh from sbt.

    Raises FileNotFoundError or RuntimeError, both saying what to do, when that does not hold.
    """
    if must_build(root):
        build(root)
    wanted = "*" if is_unpacked(root) else version(root)
    return [the_jar(folder, scala, wanted) for scala, folder in folders(root).items()]


def build(root: Path) -> None:
    """Builds the JARs with the repository's sbt.

    pip shows no output without ``--verbose``, so a terminal gets the lines of its progress.
    """
    environment = {**os.environ, "PATH": java_path()}
    start = time.time()
    command = [str(root.parent / "sbt"), "assemblies"]
    with (
        open_terminal() as terminal,
        subprocess.Popen(
            command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, text=True, env=environment
        ) as sbt,
    ):
        print("\nspark-sbbf: sbt builds the JARs, which takes minutes", file=terminal, flush=True)
        assert sbt.stdout
        for line in sbt.stdout:
            print(line, end="", file=sys.stderr)
            if re.search("compiling|Built:|error", line):
                print(f"spark-sbbf: {line}", end="", file=terminal, flush=True)
    if sbt.returncode:
        raise RuntimeError(
            f"sbt ended with status {sbt.returncode}: see above, or run ./sbt assemblies"
        )
    for folder in folders(root).values():
        for jar in folder.glob("spark-sbbf_*.jar"):
            # sbt leaves a JAR that would be the same, and does not see later changes
            os.utime(jar, (start, start))


def java_path() -> str:
    """The PATH with the JDK of JAVA_HOME first. Raises RuntimeError if there is none from 17 on."""
    home = os.environ.get("JAVA_HOME")
    path = os.pathsep.join([*([f"{home}/bin"] if home else []), os.environ.get("PATH", "")])
    java = shutil.which("java", path=path)
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr if java else ""
    found = re.search(r'version "(\d+)', said)
    if not found or int(found[1]) < 17:
        raise RuntimeError(
            f"spark-sbbf is built from source with a JDK 17 or newer; found {java or 'no java'}. "
            "Install one (Debian: apt install openjdk-17-jdk-headless) or set JAVA_HOME"
        )
    return path


def open_terminal() -> TextIO:
    try:
        return open("/dev/tty", "w", encoding="utf-8")
    except OSError:  # there is none
        return open(os.devnull, "w", encoding="utf-8")


def the_jar(folder: Path, scala: str, wanted: str) -> Path:
    """The JAR of one Scala version; another version's JAR beside it is an error, not a choice."""
    found = sorted(folder.glob(f"spark-sbbf_{scala}-*.jar"))
    expected = f"spark-sbbf_{scala}-{wanted}.jar"
    if not any(jar.match(expected) for jar in found):
        raise FileNotFoundError(f"no {expected} in {folder}: run 'make jar' first")
    if len(found) > 1:
        names = ", ".join(jar.name for jar in found)
        raise RuntimeError(f"expected one JAR in {folder}, found {names}: run 'make clean jar'")
    return found[0]


class RepositoryMetadata(MetadataHookInterface):
    """Fills in the version and the long description; an sdist carries both in its PKG-INFO."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        text = (root.parent / "README.md").read_text(encoding="utf-8")
        metadata["version"] = version(root)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class BundledJars(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the JARs and the licence into the wheel and the sdist, or stops the build."""

    def dependencies(self) -> list[str]:
        """What pip installs beside hatchling to build, only where sbt has to run."""
        return [LAUNCHER] if must_build(Path(self.root)) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        package = "spark_sbbf" if self.target_name == "wheel" else "src/spark_sbbf"
        root = Path(self.root)
        for jar in jars(root):
            build_data["force_include"][str(jar)] = f"{package}/jars/{jar.name}"
        licence = root.parent / "LICENSE"
        if licence.is_file():
            build_data["force_include"][str(licence)] = f"{package}/LICENSE"
