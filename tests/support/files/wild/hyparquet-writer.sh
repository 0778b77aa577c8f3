#!/usr/bin/env bash
# hyparquet-writer.sh FILE: writes by hyparquet-writer 0.17.0 (npm), with filters of both columns.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hyparquet-writer@0.17.0
cat >write.mjs <<'JS'
import { parquetWriteFile } from 'hyparquet-writer'

const ids = Array.from({ length: 2000 }, (_, row) => 2 * (row * 7919 % 2000))
parquetWriteFile({
  filename: process.argv[2],
  rowGroupSize: 500,
  columnData: [
    { name: 'id', type: 'INT64', data: ids.map(BigInt), bloomFilter: true },
    { name: 'name', type: 'STRING', data: ids.map((id) => `n${id}`), bloomFilter: true },
  ],
})
JS
node write.mjs "$file"
