#!/usr/bin/env bash
# parquetjs.sh FILE: writes by @dsnp/parquetjs 1.8.9 (npm), with filters of both columns.
#
# The header of a filter names no algorithm, hash or compression, and the bitset is one block, repeated.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @dsnp/parquetjs@1.8.9
cat >write.cjs <<'JS'
const parquet = require('@dsnp/parquetjs')

async function main() {
  const schema = new parquet.ParquetSchema({ id: { type: 'INT64' }, name: { type: 'UTF8' } })
  const bloomFilters = ['id', 'name'].map((column) => ({ column, numDistinct: 500, falsePositiveRate: 0.01 }))
  const writer = await parquet.ParquetWriter.openFile(schema, process.argv[2], { bloomFilters, rowGroupSize: 500 })
  for (let row = 0; row < 2000; row++) {
    const id = 2 * (row * 7919 % 2000)
    await writer.appendRow({ id, name: `n${id}` })
  }
  await writer.close()
}

main()
JS
node write.cjs "$file"
