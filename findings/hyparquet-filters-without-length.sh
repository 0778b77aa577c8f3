#!/usr/bin/env bash
# hyparquet 1.33.0 (npm), on a file of hyparquet-writer 0.17.0.
#
# The length of a bloom filter is optional in a Parquet footer: Spark 3.5, Trino and others leave it out, and the
# filter's own header gives the size. A user expects useBloomFilters to skip row groups in such files too.
# Instead, a filter without a length is not read, silently: an absent key reads the data of each row group.
# The script takes the length out of the parsed footer, and leaves the file as it is.
#
# Seen on 2026-11-27:
#   hyparquet 1.33.0, a key that no row group holds, 4 row groups
#   footer             row groups whose data was read
#   with lengths       0
#   without lengths    4
#   as described: a filter without a length is not used
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hyparquet@1.33.0 hyparquet-writer@0.17.0
cat >example.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'

const { version } = JSON.parse(readFileSync('node_modules/hyparquet/package.json', 'utf8'))
const ROWS = 4000
const GROUP = 1000
// A permutation of the even numbers, so that the bounds of each row group hold the odd key
const data = Array.from({ length: ROWS }, (_, row) => BigInt(2 * ((row * 1237) % ROWS)))
const columnData = [{ name: 'id', data, type: 'INT64', bloomFilter: { fpp: 0.0001 } }]
parquetWriteFile({ filename: 'ids.parquet', columnData, rowGroupSize: GROUP })
const file = await asyncBufferFromFile('ids.parquet')

async function groupsRead(metadata) {
  const starts = metadata.row_groups.map((group) => Number(group.columns[0].meta_data.data_page_offset))
  const read = new Set()
  const slice = (start, end) => {
    starts.forEach((at, group) => { if (start <= at && at < end) read.add(group) })
    return file.slice(start, end)
  }
  const watched = { byteLength: file.byteLength, slice }
  const filter = { id: { $eq: 4001n } }
  const rows = await parquetReadObjects({ file: watched, metadata, filter, useBloomFilters: true })
  if (rows.length) throw new Error('the key is in the file')
  return read.size
}

const metadata = await parquetMetadataAsync(file)
console.log(`hyparquet ${version}, a key that no row group holds, ${metadata.row_groups.length} row groups`)
console.log('footer             row groups whose data was read')
const withLengths = await groupsRead(metadata)
console.log(`with lengths       ${withLengths}`)
for (const group of metadata.row_groups) delete group.columns[0].meta_data.bloom_filter_length
const withoutLengths = await groupsRead(metadata)
console.log(`without lengths    ${withoutLengths}`)
if (withLengths !== 0 || withoutLengths !== ROWS / GROUP) {
  console.log('changed: other row groups are read than described')
  process.exit(1)
}
console.log('as described: a filter without a length is not used')
JS
node example.mjs
