#!/usr/bin/env bash
# Starts sbt with nothing installed but a JDK. maven-artifact, a Python package that 'make setup' installs, fetches
# the launcher, once, into a cache outside the tree; it is used only if its digest fits.
set -euo pipefail
cd "$(dirname "$0")"
version=$(sed -n 's/^sbt.version=//p' project/build.properties)
sha256=18d4a733eae2f70fd4d71a46e9da21d2eb7c9bf6ee85a67be9a9800e7c01403e
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spark-sbbf
launcher=$cache/sbt-launch-$version.jar
fits() { echo "$sha256  $1" | sha256sum --check --status; }

if ! { [ -f "$launcher" ] && fits "$launcher"; }; then
  PATH=$PWD/.venv/bin:$PATH
  command -v maven-artifact >/dev/null || { echo "sbt: no launcher yet; run 'make setup' first" >&2; exit 1; }
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/launcher-XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  maven-artifact "org.scala-sbt:sbt-launch:$version" "$fresh/sbt-launch.jar" >&2
  fits "$fresh/sbt-launch.jar" || { echo "sbt: sbt-launch $version has an unexpected SHA-256" >&2; exit 1; }
  mv "$fresh/sbt-launch.jar" "$launcher"
  rmdir "$fresh"
fi
exec java -Xmx2g -Xss4m -Dsbt.override.build.repos=true -Dsbt.repository.config=project/repositories \
  -Dsbt.server.autostart=false -jar "$launcher" "$@"
