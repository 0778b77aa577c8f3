#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.9 (npm).
#
# The option bloomFilters of ParquetWriter adds a filter to a column. A user expects a filter that other readers use
# and that rules out most keys that the file lacks.
# Instead, all blocks of the bitset are one and the same block that holds the bits of each value, so that the filter of
# 2,000 values answers "maybe" to every key, in this package's own reader too. The writer does not wait for the hashes:
# in some runs the bitset is written before any value is in it, and rules out every key that the file holds.
# And the header is invalid: its algorithm, hash and compression are unions without a member, where the format demands
# one. DuckDB 2.0.1 therefore does not use these filters.
#
# Seen on 2026-11-27, in two runs:
#   header: 15c00b 1c00 1c00 1c00 00, the unions have no member
#   bitset: 23 blocks, 1 distinct, 5888 of 5888 bits set
#   "maybe" to 2000 of 2000 keys that the file holds, and to 2000 of 2000 that it lacks
#   as described: an invalid header and one block, repeated
# and
#   bitset: 23 blocks, 1 distinct, 0 of 5888 bits set
#   "maybe" to 0 of 2000 keys that the file holds, and to 0 of 2000 that it lacks
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @dsnp/parquetjs@1.8.9
cat >example.cjs <<'JS'
const fs = require('fs')
const parquet = require('@dsnp/parquetjs')

const ROWS = 2000

async function main() {
  const schema = new parquet.ParquetSchema({ id: { type: 'INT64' } })
  const filter = { column: 'id', numDistinct: 5000, falsePositiveRate: 0.01 }
  const writer = await parquet.ParquetWriter.openFile(schema, 'ids.parquet', { bloomFilters: [filter] })
  for (let row = 0; row < ROWS; row++) await writer.appendRow({ id: 2 * row })
  await writer.close()

  const reader = await parquet.ParquetReader.openFile('ids.parquet')
  const sbbf = (await reader.getBloomFiltersFor(['id'])).id[0].sbbf
  const size = sbbf.getNumFilterBytes()
  const maybe = [0, 0]
  for (let key = 0; key < 2 * ROWS; key++) if (await sbbf.check(BigInt(key))) maybe[key % 2]++
  const offset = Number(reader.metadata.row_groups[0].columns[0].meta_data.bloom_filter_offset)
  await reader.close()

  // Thrift compact: a varint numBytes, then fields 2, 3 and 4, each a struct (1c), and a stop (00)
  const found = fs.readFileSync('ids.parquet').subarray(offset, offset + 10 + size)
  const header = found.subarray(0, 10).toString('hex')
  const isInvalid = header.endsWith('1c001c001c0000')
  const blocks = new Set()
  for (let at = 10; at < found.length; at += 32) blocks.add(found.subarray(at, at + 32).toString('hex'))
  let bits = 0
  for (const byte of found.subarray(10)) bits += byte.toString(2).replaceAll('0', '').length
  console.log(`header: ${header.replace(/^(.{6})(.{4})(.{4})(.{4})/, '$1 $2 $3 $4 ')},`,
    isInvalid ? 'the unions have no member' : 'the unions have members')
  console.log(`bitset: ${size / 32} blocks, ${blocks.size} distinct, ${bits} of ${8 * size} bits set`)
  console.log(`"maybe" to ${maybe[0]} of ${ROWS} keys that the file holds, and to ${maybe[1]} of ${ROWS} that it lacks`)
  if (!isInvalid || blocks.size !== 1) {
    console.log('changed: the header is valid, or the blocks differ')
    process.exit(1)
  }
  console.log('as described: an invalid header and one block, repeated')
}

main()
JS
node example.cjs
