#!/usr/bin/env bash
# hyparquet-writer 0.17.0 (npm).
#
# The option bloomFilter: true of a column adds a bloom filter. A user expects one on each column that has the option,
# or an error.
# Instead, columns of the types JSON, UUID, TIMESTAMP and FLOAT16 have none, silently: a filter on an identifier of
# type UUID is a common wish. BOOLEAN, with its two values, and both binary leaves of a VARIANT have one.
#
# Seen on 2026-11-27:
#   hyparquet-writer 0.17.0, bloomFilter: true on each column
#   with a filter:    BOOLEAN, INT32, INT64, FLOAT, DOUBLE, STRING, BYTE_ARRAY, VARIANT.metadata, VARIANT.value
#   without a filter: JSON, UUID, TIMESTAMP, FLOAT16
#   as described: columns of four types have no filter, without an error
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hyparquet@1.33.0 hyparquet-writer@0.17.0
cat >example.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'

const { version } = JSON.parse(readFileSync('node_modules/hyparquet-writer/package.json', 'utf8'))
const ROWS = 500
const values = {
  BOOLEAN: (row) => row % 2 === 0,
  INT32: (row) => row,
  INT64: (row) => BigInt(row),
  FLOAT: (row) => row + 0.5,
  DOUBLE: (row) => row + 0.5,
  STRING: (row) => `key ${row}`,
  BYTE_ARRAY: (row) => new Uint8Array([row % 256, row >> 8]),
  VARIANT: (row) => ({ key: row }),
  JSON: (row) => ({ key: row }),
  UUID: (row) => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`,
  TIMESTAMP: (row) => new Date(1000 * row),
  FLOAT16: (row) => row + 0.5,
}
const columnData = Object.entries(values).map(([type, valueOf]) =>
  ({ name: type, type, data: Array.from({ length: ROWS }, (_, row) => valueOf(row)), bloomFilter: true }))
parquetWriteFile({ filename: 'types.parquet', columnData })
const metadata = await parquetMetadataAsync(await asyncBufferFromFile('types.parquet'))

const having = []
const lacking = []
for (const { meta_data: chunk } of metadata.row_groups[0].columns) {
  (chunk.bloom_filter_offset === undefined ? lacking : having).push(chunk.path_in_schema.join('.'))
}
console.log(`hyparquet-writer ${version}, bloomFilter: true on each column`)
console.log(`with a filter:    ${having.join(', ')}`)
console.log(`without a filter: ${lacking.join(', ')}`)
if (lacking.join() !== 'JSON,UUID,TIMESTAMP,FLOAT16' || !having.includes('BOOLEAN')) {
  console.log('changed: other types have filters than described')
  process.exit(1)
}
console.log('as described: columns of four types have no filter, without an error')
JS
node example.mjs
