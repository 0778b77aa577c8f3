"""What the wheel takes from outside this folder: version, README, licence and JARs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SCALA = ("2.12", "2.13")


def version(root: Path) -> str:
    """The one version of the repository; ``root`` is this folder."""
    return (root.parent / "VERSION").read_text(encoding="utf-8").strip()


def jars(root: Path) -> list[Path]:
    """One JAR of this version for each Scala version: fresh from sbt, or those of an sdist.

    Raises FileNotFoundError or RuntimeError, both saying what to run, when that does not hold.
    """
    unpacked = root / "src" / "spark_sbbf" / "jars"
    if (root / "PKG-INFO").is_file():  # an unpacked sdist has no sbt build beside it
        folders = dict.fromkeys(SCALA, unpacked)
        wanted = "*"
    else:
        target = root.parent / "jvm" / "spark" / "target"
        folders = {scala: target / f"scala-{scala}" for scala in SCALA}
        wanted = version(root)
    return [the_jar(folder, scala, wanted) for scala, folder in folders.items()]


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
