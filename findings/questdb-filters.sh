#!/usr/bin/env bash
# QuestDB puts bytes that the footer does not name behind each bloom filter.
#
# Package: org.questdb:questdb 9.3.4, embedded; its footers are read by
# parquet-format-structures 1.17.0.
# Data: 43,200 rows of one day, converted by ALTER TABLE ... CONVERT PARTITION TO
# PARQUET with bloom_filter_columns = 'id,twice'.
# Expected: a footer that states the length of each filter, and filters beside each
# other, as most writers have them.
# Instead: each filter stands right behind its column chunk, and its length is not
# stated. Then 56 or 61 bytes follow, a copy of the chunk's metadata, whose place no
# offset in the footer states. A reader that takes all bytes up to the next chunk gets
# a wrong length; the header of the filter alone has the right one. The footer has no
# `column_orders` either, so pyarrow 26.0.1 reports no bounds. All of it is optional.
# Seen on 2026-11-27:
#   QuestDB version 9.0, 43200 rows
#   column orders in the footer: false
#   id: filter of 65536 bytes, 0 bytes behind its chunk, length in the footer: false,
#   then 56 other bytes; twice: the same, then 61 other bytes
#
# Needs Java 17 and Maven 3.8; the jars are a download of 32 MB.
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
      <groupId>org.questdb</groupId>
      <artifactId>questdb</artifactId>
      <version>9.3.4</version>
    </dependency>
    <dependency>
      <groupId>org.apache.parquet</groupId>
      <artifactId>parquet-format-structures</artifactId>
      <version>1.17.0</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime

cat > Filters.java <<'JAVA'
import io.questdb.cairo.*;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.griffin.SqlExecutionContextImpl;
import java.io.ByteArrayInputStream;
import java.nio.*;
import java.nio.file.*;
import org.apache.parquet.format.Util;

public class Filters {
  static byte[] written() throws Exception {
    Path data = Files.createDirectory(Path.of("data"));
    try (CairoEngine engine = new CairoEngine(new DefaultCairoConfiguration("data"))) {
      var context =
          new SqlExecutionContextImpl(engine, 1).with(AllowAllSecurityContext.INSTANCE, null);
      engine.execute("CREATE TABLE days AS (SELECT x AS id, x * 2 AS twice,"
          + " timestamp_sequence('2026-11-01', 2_000_000) AS ts FROM long_sequence(50_000))"
          + " TIMESTAMP(ts) PARTITION BY DAY BYPASS WAL", context);
      engine.execute("ALTER TABLE days CONVERT PARTITION TO PARQUET LIST '2026-11-01'"
          + " WITH (bloom_filter_columns = 'id,twice')", context);
    }
    try (var files = Files.walk(data)) {
      return Files.readAllBytes(
          files.filter(f -> f.toString().endsWith(".parquet")).findFirst().get());
    }
  }

  public static void main(String[] args) throws Exception {
    byte[] file = written();
    int end = file.length - 8;
    int size = ByteBuffer.wrap(file, end, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
    var footer = Util.readFileMetaData(new ByteArrayInputStream(file, end - size, size));
    System.err.println(footer.getCreated_by() + ", " + footer.getNum_rows() + " rows");
    boolean asDescribed = !footer.isSetColumn_orders();
    System.err.println("column orders in the footer: " + footer.isSetColumn_orders());
    var chunks = footer.getRow_groups().get(0).getColumns();
    for (int i = 0; i < 2; i++) {
      var chunk = chunks.get(i).getMeta_data();
      long start = chunk.isSetDictionary_page_offset()
          ? chunk.getDictionary_page_offset() : chunk.getData_page_offset();
      int offset = (int) chunk.getBloom_filter_offset();
      var bytes = new ByteArrayInputStream(file, offset, end - size - offset);
      var header = Util.readBloomFilterHeader(bytes);
      long filterEnd = end - size - bytes.available() + header.getNumBytes();
      long behind = chunks.get(i + 1).getMeta_data().getData_page_offset() - filterEnd;
      long before = offset - start - chunk.getTotal_compressed_size();
      System.err.println(chunk.getPath_in_schema().get(0) + ": filter of " + header.getNumBytes()
          + " bytes, " + before + " bytes behind its chunk, length in the footer: "
          + chunk.isSetBloom_filter_length() + ", then " + behind + " other bytes");
      asDescribed &= !chunk.isSetBloom_filter_length() && before == 0 && behind > 0;
    }
    if (!asDescribed) {
      System.err.println("The file has another layout: the behaviour has changed.");
      System.exit(1);
    }
  }
}
JAVA
java -cp 'lib/*' Filters.java 2>&1 > log # QuestDB logs to the standard output
