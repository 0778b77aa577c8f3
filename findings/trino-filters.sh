#!/usr/bin/env bash
# Trino's writer gives no bloom filter to varchar(n), char(n), date, timestamp, decimal.
#
# Package: io.trino:trino-parquet 483, the library by which Trino writes Parquet (users
# name the columns there by the table property parquet_bloom_filter_columns).
# Data: 30,000 distinct values in a column of each of twelve types, all twelve named as
# columns with a bloom filter.
# Expected: twelve filters, or an error that names the types without.
# Instead: six columns get one, without a word about the others: varchar does, and
# varchar(20), with the same bytes in the file, does not. The filters stand behind the
# last column chunk, and the footer does not state their lengths.
# Seen on 2026-11-27:
#   filters: [bigint, integer, real, double, varchar, varbinary]
#   none: [smallint, varchar(20), char(20), date, timestamp(6), decimal(18,2)]
#   lengths in the footer: 0; filters behind the last column chunk: 6
#
# Needs Java 25, by JAVA_HOME if it is not the first on the path, and Maven 3.8; the
# jars are a download of 50 MB.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>filters</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.trino</groupId>
      <artifactId>trino-parquet</artifactId>
      <version>483</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime

cat > Filters.java <<'JAVA'
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.trino.parquet.writer.*;
import io.trino.spi.Page;
import io.trino.spi.block.*;
import io.trino.spi.type.*;
import java.io.ByteArrayOutputStream;
import java.util.*;
import org.apache.parquet.format.CompressionCodec;

public class Filters {
  static final int ROWS = 30_000;

  static Block values(Type type) {
    BlockBuilder block = type.createBlockBuilder(null, ROWS);
    for (int row = 0; row < ROWS; row++) {
      if (type == RealType.REAL) type.writeLong(block, Float.floatToIntBits(row));
      else if (type.getJavaType() == long.class) type.writeLong(block, row);
      else if (type.getJavaType() == double.class) type.writeDouble(block, row);
      else type.writeSlice(block, Slices.utf8Slice("name" + row));
    }
    return block.build();
  }

  public static void main(String[] args) throws Exception {
    List<Type> types = List.of(
        BigintType.BIGINT, IntegerType.INTEGER, SmallintType.SMALLINT, RealType.REAL,
        DoubleType.DOUBLE, VarcharType.VARCHAR, VarcharType.createVarcharType(20),
        CharType.createCharType(20), VarbinaryType.VARBINARY, DateType.DATE,
        TimestampType.TIMESTAMP_MICROS, DecimalType.createDecimalType(18, 2));
    List<String> names = types.stream().map(Type::getDisplayName).toList();
    var schema = new ParquetSchemaConverter(types, names, false, false);
    // Small pages make small dictionaries, so no chunk is written as one
    var options = ParquetWriterOptions.builder()
        .setMaxPageSize(DataSize.ofBytes(8192)).setBloomFilterColumns(Set.copyOf(names)).build();
    var writer = new ParquetWriter(
        new ByteArrayOutputStream(), schema.getMessageType(), schema.getPrimitiveTypes(), options,
        CompressionCodec.UNCOMPRESSED, "finding", Optional.empty(), Optional.empty());
    writer.write(new Page(types.stream().map(Filters::values).toArray(Block[]::new)));
    writer.close();

    var chunks = writer.getFileMetaData().getRow_groups().getFirst().getColumns();
    var last = chunks.getLast().getMeta_data();
    long end = last.getData_page_offset() + last.getTotal_compressed_size();
    List<String> with = new ArrayList<>(), without = new ArrayList<>();
    int lengths = 0, behind = 0;
    for (int i = 0; i < names.size(); i++) {
      var chunk = chunks.get(i).getMeta_data();
      (chunk.isSetBloom_filter_offset() ? with : without).add(names.get(i));
      if (chunk.isSetBloom_filter_length()) lengths++;
      if (chunk.getBloom_filter_offset() >= end) behind++;
    }
    System.out.println("trino-parquet 483");
    System.out.println("filters: " + with + "\nnone: " + without);
    System.out.println(
        "lengths in the footer: " + lengths + "; filters behind the last column chunk: " + behind);
    if (with.size() != 6 || without.size() != 6 || lengths != 0 || behind != 6) {
      System.out.println("Other types have filters, or elsewhere: the behaviour has changed.");
      System.exit(1);
    }
  }
}
JAVA
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp 'lib/*' Filters.java
