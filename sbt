#!/usr/bin/env bash
# Starts sbt with nothing installed but a JDK. The launcher comes from the Maven registry through the
# Ivy that pyspark brings along, once, into a cache outside the tree, and is used only if its digest fits.
set -euo pipefail
cd "$(dirname "$0")"
version=$(sed -n 's/^sbt.version=//p' project/build.properties)
sha256=18d4a733eae2f70fd4d71a46e9da21d2eb7c9bf6ee85a67be9a9800e7c01403e
cache=${XDG_CACHE_HOME:-$HOME/.cache}/spark-sbbf
launcher=$cache/sbt-launch-$version.jar
fits() { echo "$sha256  $1" | sha256sum --check --status; }

if ! { [ -f "$launcher" ] && fits "$launcher"; }; then
  ivy=$(find .venv -path '*pyspark/jars/ivy-*.jar' 2>/dev/null | head -1)
  [ -n "$ivy" ] || { echo "sbt: no launcher yet; run 'make setup' first" >&2; exit 1; }
  fresh=$(mktemp -d)
  trap 'rm -rf "$fresh"' EXIT
  java -jar "$ivy" -warn -cache "$fresh/ivy" -confs default -dependency org.scala-sbt sbt-launch "$version" \
    -retrieve "$fresh/[artifact].[ext]" >&2
  fits "$fresh/sbt-launch.jar" || { echo "sbt: sbt-launch $version has an unexpected SHA-256" >&2; exit 1; }
  mkdir -p "$cache"
  mv "$fresh/sbt-launch.jar" "$launcher.$$" && mv "$launcher.$$" "$launcher"
  rm -rf "$fresh"
fi
exec java -Xmx2g -Xss4m -Dsbt.override.build.repos=true -Dsbt.repository.config=project/repositories \
  -Dsbt.server.autostart=false -jar "$launcher" "$@"
