#!/usr/bin/env bash
# parquetjs-text.sh FILE: writes three texts by @dsnp/parquetjs 1.8.9 (npm), without filters.
#
# Its bounds are in the order of UTF-16: the maximum is U+FF5E, although U+1F600 is greater in UTF-8.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @dsnp/parquetjs@1.8.9
cat >write.cjs <<'JS'
const parquet = require('@dsnp/parquetjs')

async function main() {
  const schema = new parquet.ParquetSchema({ name: { type: 'UTF8' } })
  const writer = await parquet.ParquetWriter.openFile(schema, process.argv[2])
  for (const name of ['a', '\uFF5E', '\u{1F600}']) await writer.appendRow({ name })
  await writer.close()
}

main()
JS
node write.cjs "$file"
