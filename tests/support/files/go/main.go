// Writes the table of a Parquet file again as the Go libraries store it, with bloom filters of every
// column and 30 rows in a row group. For the files beside this folder of the table of tests/support/foreign.py:
//
//	go mod tidy && go run . table.parquet ../arrow-go.parquet ../parquet-go.parquet
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

const (
	rows = 30
	fpp  = 0.001
	bits = 16 // of each value, for an FPP of about 0.001
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("expected a table and the files to write by arrow-go and by parquet-go")
	}
	must(byArrow(os.Args[1], os.Args[2]))
	must(byParquet(os.Args[1], os.Args[3]))
}

func byArrow(source, target string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	table, err := pqarrow.ReadTable(context.Background(), in, nil, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	defer table.Release()
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	properties := arrowparquet.NewWriterProperties(
		arrowparquet.WithMaxRowGroupLength(rows),
		arrowparquet.WithDictionaryDefault(false),
		arrowparquet.WithBloomFilterEnabled(true),
		arrowparquet.WithBloomFilterFPP(fpp),
		arrowparquet.WithBloomFilterNDV(rows),
	)
	writer, err := pqarrow.NewFileWriter(table.Schema(), out, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	if err := writer.WriteTable(table, rows); err != nil {
		return err
	}
	return writer.Close()
}

func byParquet(source, target string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	reader := parquet.NewReader(in)
	defer reader.Close()
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	defer out.Close()
	var filters []parquet.BloomFilterColumn
	for _, path := range reader.Schema().Columns() {
		filters = append(filters, parquet.SplitBlockFilter(bits, path...))
	}
	writer := parquet.NewWriter(out, reader.Schema(), parquet.MaxRowsPerRowGroup(rows), parquet.BloomFilters(filters...))
	if _, err := parquet.CopyRows(writer, reader); err != nil && err != io.EOF {
		return err
	}
	return writer.Close()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
