#!/usr/bin/env bash
# github.com/parquet-go/parquet-go v0.32.0 (Go module), read by duckdb 2.0.1 (PyPI).
#
# The option BloomFilterCompression(&parquet.Gzip) compresses bloom filters. A user expects smaller files and
# readers that still skip by the filters. The format defines numBytes in a filter's header as the size of the bitset.
# Instead, numBytes is the length of the gzip stream, which need not be whole blocks of 32 bytes, so that the size of
# the bitset is known only after decompression. Random bits do not compress: the filter gets larger. And the reader
# of another project, which skips by the plain filter, does not by the compressed one.
#
# Seen on 2026-11-27:
#   filter   numBytes   bitset   whole blocks   duckdb 2.0.1 rules out an absent key
#   plain    6272       6272     True           True
#   gzip     6297       6272     False          False
#   as described: numBytes is the compressed length, larger than the bitset, and duckdb does not use the filter
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GOPATH="$folder/go" GOFLAGS="-modcacherw -mod=mod" GOTOOLCHAIN=local
mkdir "$folder/code" && cd "$folder/code"
cat >main.go <<'GO'
package main

import (
	"os"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	ID int64 `parquet:"id"`
}

func write(name string, options ...parquet.WriterOption) {
	file, err := os.Create(name + ".parquet")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	options = append(options, parquet.BloomFilters(parquet.SplitBlockFilter(10, "id")))
	writer := parquet.NewGenericWriter[row](file, options...)
	for id := range 5000 {
		if _, err := writer.Write([]row{{ID: int64(2 * id)}}); err != nil {
			panic(err)
		}
	}
	if err := writer.Close(); err != nil {
		panic(err)
	}
}

func main() {
	write("plain")
	write("gzip", parquet.BloomFilterCompression(&parquet.Gzip))
}
GO
go mod init example >"$folder/log" 2>&1
go get github.com/parquet-go/parquet-go@v0.32.0 >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
go build -trimpath -o write . 2>>"$folder/log" || { cat "$folder/log"; exit 1; }
./write
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import gzip
import sys

import duckdb
import pyarrow.parquet as pq

print(f"filter   numBytes   bitset   whole blocks   duckdb {duckdb.__version__} rules out an absent key")
seen = {}
for name in ("plain", "gzip"):
    file = f"{name}.parquet"
    chunk = pq.read_metadata(file).row_group(0).column(0)
    with open(file, "rb") as whole:
        whole.seek(chunk.bloom_filter_offset)
        found = whole.read(chunk.bloom_filter_length)
    num_bytes = (found[1] & 127 | found[2] << 7) >> 1  # a zigzag value of two bytes, behind the byte of its field
    content = found[-num_bytes:]
    bitset = len(gzip.decompress(content) if name == "gzip" else content)
    probe = f"SELECT bloom_filter_excludes FROM parquet_bloom_probe('{file}', 'id', 5001)"
    excluded = duckdb.sql(probe).fetchall()[0][0]
    seen[name] = (num_bytes, bitset, excluded)
    print(f"{name:8} {num_bytes:<10} {bitset:<8} {str(num_bytes % 32 == 0):14} {excluded}")
size = seen["plain"][1]
if seen["plain"] != (size, size, True) or seen["gzip"][1:] != (size, False) or seen["gzip"][0] <= size:
    sys.exit("changed: numBytes is no longer the compressed length, or duckdb uses the filter")
print("as described: numBytes is the compressed length, larger than the bitset, and duckdb does not use the filter")
PYTHON
