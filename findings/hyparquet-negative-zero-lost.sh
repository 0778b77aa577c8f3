#!/usr/bin/env bash
# hyparquet 1.33.0 and hyparquet-writer 0.17.0 (npm).
#
# In JavaScript, as in SQL, -0 equals 0. A user expects { $eq: 0 } to find a row of -0, with useBloomFilters or without.
# Instead, the writer hashes -0 by its own bits, and the reader probes for the bits of 0 alone. With bloom filters on,
# the row group is skipped and the row is lost.
#
# Seen on 2026-11-27:
#   hyparquet 1.33.0, hyparquet-writer 0.17.0; a DOUBLE column of 1,000 values, one of them -0
#   condition   rows without filters   rows with filters
#   $eq: 0      1                      0
#   $in: [0]    1                      0
#   $eq: -0     1                      1
#   as described: with bloom filters, = 0 loses the row of -0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hyparquet@1.33.0 hyparquet-writer@0.17.0
cat >example.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
console.log(`hyparquet ${version('hyparquet')}, hyparquet-writer ${version('hyparquet-writer')};`,
  'a DOUBLE column of 1,000 values, one of them -0')

const data = Array.from({ length: 1000 }, (_, row) => row + 0.5)
data[7] = -0
parquetWriteFile({ filename: 'x.parquet', columnData: [{ name: 'x', data, type: 'DOUBLE', bloomFilter: true }] })
const file = await asyncBufferFromFile('x.parquet')

const conditions = { '$eq: 0': { $eq: 0 }, '$in: [0]': { $in: [0] }, '$eq: -0': { $eq: -0 } }
const seen = []
console.log('condition   rows without filters   rows with filters')
for (const [name, condition] of Object.entries(conditions)) {
  const count = async (useBloomFilters) =>
    (await parquetReadObjects({ file, filter: { x: condition }, useBloomFilters })).length
  const counts = [await count(false), await count(true)]
  seen.push(counts)
  console.log(`${name.padEnd(11)} ${String(counts[0]).padEnd(22)} ${counts[1]}`)
}
if (JSON.stringify(seen) !== '[[1,0],[1,0],[1,1]]') {
  console.log('changed: the conditions find other rows than described')
  process.exit(1)
}
console.log('as described: with bloom filters, = 0 loses the row of -0')
JS
node example.mjs
