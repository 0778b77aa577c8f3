#!/usr/bin/env bash
# trino.sh FILE: writes by io.trino:trino-parquet 483 (Maven), with filters of both columns.
#
# The filters stand behind the last chunk, and the footer has no lengths of them. Needs Java 25, by JAVA_HOME.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>example</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>io.trino</groupId><artifactId>trino-parquet</artifactId><version>483</version></dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime
cat >Example.java <<'JAVA'
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.trino.parquet.writer.*;
import io.trino.spi.Page;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.*;
import java.nio.file.*;
import java.util.*;
import org.apache.parquet.format.CompressionCodec;

public class Example {
  public static void main(String[] args) throws Exception {
    List<Type> types = List.of(BigintType.BIGINT, VarcharType.VARCHAR);
    List<String> names = List.of("id", "name");
    var schema = new ParquetSchemaConverter(types, names, false, false);
    // Small pages make small dictionaries: chunks that are all dictionary get no filter
    var options = ParquetWriterOptions.builder()
        .setMaxRowGroupRowCount(500).setBatchSize(100).setMaxPageSize(DataSize.ofBytes(1024))
        .setBloomFilterColumns(Set.copyOf(names)).setMaxBloomFilterSize(DataSize.ofBytes(1024)).build();
    var writer = new ParquetWriter(
        Files.newOutputStream(Path.of(args[0])), schema.getMessageType(), schema.getPrimitiveTypes(), options,
        CompressionCodec.UNCOMPRESSED, "483", Optional.empty(), Optional.empty());
    for (int from = 0; from < 2000; from += 500) {
      BlockBuilder ids = types.get(0).createBlockBuilder(null, 500);
      BlockBuilder texts = types.get(1).createBlockBuilder(null, 500);
      for (int row = from; row < from + 500; row++) {
        long id = 2 * (row * 7919L % 2000);
        types.get(0).writeLong(ids, id);
        types.get(1).writeSlice(texts, Slices.utf8Slice("n" + id));
      }
      writer.write(new Page(ids.build(), texts.build()));
    }
    writer.close();
  }
}
JAVA
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp 'lib/*' Example.java "$file"
