#!/usr/bin/env bash
# arrow-go-adaptive.sh FILE: writes by github.com/apache/arrow-go/v18 v18.4.1 (Go module), with adaptive filters.
#
# The collector of garbage frees bitsets during the write, so that chunks get the header of a filter alone. The program
# runs the collector itself, for a file whose chunks all lack the bitset.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GOFLAGS=-mod=mod GOTOOLCHAIN=local
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const rows, rowGroups = 500, 4

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	out := must(os.Create(os.Args[1]))
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "name", Type: arrow.BinaryTypes.String},
	}, nil)
	options := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false),
		parquet.WithBloomFilterEnabled(true), parquet.WithAdaptiveBloomFilterEnabled(true))
	writer := must(pqarrow.NewFileWriter(schema, out, options, pqarrow.DefaultWriterProps()))
	for group := range rowGroups {
		ids, names := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
		for n := group * rows; n < (group+1)*rows; n++ {
			id := int64(2 * (n * 7919 % 2000))
			ids.Append(id)
			names.Append(fmt.Sprintf("n%d", id))
		}
		record := array.NewRecord(schema, []arrow.Array{ids.NewArray(), names.NewArray()}, rows)
		must(0, writer.Write(record))
		for range 3 {
			runtime.GC()
		}
	}
	must(0, writer.Close())
}
GO
go mod init example
go get github.com/apache/arrow-go/v18@v18.4.1
go run . "$file"
