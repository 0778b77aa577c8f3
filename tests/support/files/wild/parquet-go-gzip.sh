#!/usr/bin/env bash
# parquet-go-gzip.sh FILE: writes by github.com/parquet-go/parquet-go v0.32.0 (Go module), with filters of both columns.
#
# Gzip compresses the filters. numBytes in their headers is the length of the compressed stream.
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

	"github.com/parquet-go/parquet-go"
)

type row struct {
	ID   int64  `parquet:"id"`
	Name string `parquet:"name"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	file, err := os.Create(os.Args[1])
	check(err)
	writer := parquet.NewGenericWriter[row](file,
		parquet.MaxRowsPerRowGroup(500),
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "id"), parquet.SplitBlockFilter(10, "name")),
		parquet.BloomFilterCompression(&parquet.Gzip))
	for n := range int64(2000) {
		id := 2 * (n * 7919 % 2000)
		_, err := writer.Write([]row{{id, fmt.Sprintf("n%d", id)}})
		check(err)
	}
	check(writer.Close())
	check(file.Close())
}
GO
go mod init example
go get github.com/parquet-go/parquet-go@v0.32.0
go run . "$file"
