#!/usr/bin/env bash
# questdb.sh FILE: writes by org.questdb:questdb 9.3.4 (Maven), with filters of id and name.
#
# The filters have no length, other bytes follow each, and the footer has no column orders. Needs Java 17.
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
    <dependency><groupId>org.questdb</groupId><artifactId>questdb</artifactId><version>9.3.4</version></dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib -DincludeScope=runtime
cat >Example.java <<'JAVA'
import io.questdb.cairo.*;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.griffin.SqlExecutionContextImpl;
import java.nio.file.*;

public class Example {
  public static void main(String[] args) throws Exception {
    Path data = Files.createDirectory(Path.of("data"));
    var configuration = new DefaultCairoConfiguration("data") {
      @Override
      public int getPartitionEncoderParquetRowGroupSize() {
        return 500;
      }
    };
    try (CairoEngine engine = new CairoEngine(configuration)) {
      var context = new SqlExecutionContextImpl(engine, 1).with(AllowAllSecurityContext.INSTANCE, null);
      // The last row is of the next day: the partition that is written to is not converted
      engine.execute("CREATE TABLE days AS (SELECT id, concat('n', id)::varchar AS name, ts FROM"
          + " (SELECT 2 * ((x - 1) * 7919 % 2000) AS id,"
          + " timestamp_sequence('2026-11-01', 43_200_000) AS ts FROM long_sequence(2001)))"
          + " TIMESTAMP(ts) PARTITION BY DAY BYPASS WAL", context);
      engine.execute("ALTER TABLE days CONVERT PARTITION TO PARQUET LIST '2026-11-01'"
          + " WITH (bloom_filter_columns = 'id,name')", context);
    }
    try (var files = Files.walk(data)) {
      Files.copy(files.filter(f -> f.toString().endsWith(".parquet")).findFirst().get(),
          Path.of(args[0]), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
JAVA
java -cp 'lib/*' Example.java "$file" >log 2>&1 || { cat log; exit 1; }
