#!/usr/bin/env bash
# ParquetRewriter joins the first row group of the right file to every row group.
#
# Package: parquet-hadoop 1.17.0 (class ParquetRewriter, "files to join").
# Data: a left file with a column `id` and a right file with a column `twice`, 40 rows
# each, row k with k and 2k, in the same four row groups of 10 rows.
# Expected: a file of four row groups, where each row holds k and 2k.
# Instead: the rewriter reports no error, and each row group holds `twice` of rows
# 0 to 9. The other 30 values are lost.
# Seen on 2026-11-27:
#   row 10: twice = 0
#   30 of 40 rows are wrong; values of twice: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]
#
# Needs Java 17 and Maven 3.8; the jars are a download of 70 MB.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>join</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.parquet</groupId>
      <artifactId>parquet-hadoop</artifactId>
      <version>1.17.0</version>
    </dependency>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-client-runtime</artifactId>
      <version>3.4.2</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib

cat > Join.java <<'JAVA'
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.Version;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.rewrite.*;
import org.apache.parquet.schema.*;

public class Join {
  static Path write(String column, int factor) throws Exception {
    MessageType schema = MessageTypeParser.parseMessageType(
        "message rows { required int32 " + column + "; }");
    Path path = new Path(column + ".parquet");
    SimpleGroupFactory groups = new SimpleGroupFactory(schema);
    try (var writer = ExampleParquetWriter.builder(path)
        .withType(schema).withRowGroupRowCountLimit(10).build()) {
      for (int k = 0; k < 40; k++) writer.write(groups.newGroup().append(column, factor * k));
    }
    return path;
  }

  public static void main(String[] args) throws Exception {
    Path left = write("id", 1), right = write("twice", 2), joined = new Path("joined.parquet");
    var options = new RewriteOptions.Builder(
        new Configuration(), List.of(left), List.of(right), joined).build();
    ParquetRewriter rewriter = new ParquetRewriter(options);
    rewriter.processBlocks();
    rewriter.close();

    System.out.println(Version.FULL_VERSION);
    Set<Integer> twice = new TreeSet<>();
    int rows = 0, wrong = 0;
    try (var reader = ParquetReader.builder(new GroupReadSupport(), joined).build()) {
      for (Group row; (row = reader.read()) != null; rows++) {
        int id = row.getInteger("id", 0), value = row.getInteger("twice", 0);
        twice.add(value);
        if (value != 2 * id) wrong++;
        if (id == 10) System.out.println("row 10: twice = " + value);
      }
    }
    System.out.println(wrong + " of " + rows + " rows are wrong; values of twice: " + twice);
    if (rows != 40 || wrong != 30 || twice.size() != 10) {
      System.out.println("The files are joined in another way: the behaviour has changed.");
      System.exit(1);
    }
  }
}
JAVA
java -cp 'lib/*' Join.java
