package io.sbbf.spark.scan

import java.io.File
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, StandardCopyOption}

import org.apache.parquet.example.data.Group
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.{ScanPruning, TaskReads}
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.parquet.PrunedParquetFormat
import io.sbbf.spark.session.SessionPruning
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

class PruneRowGroupsSuite extends SparkSuite {

  private lazy val keys: String = {
    // 8 files whose keys have overlapping bounds
    val rows = spark
      .range(0, 8000, 1, 8)
      .selectExpr(
        "id",
        "xxhash64(id) AS k",
        "concat('u', xxhash64(id, 1)) AS s",
        "CAST(id % 7 AS INT) AS few",
        "IF(id % 5 = 0, NULL, CAST(id AS DOUBLE)) AS d")
    val sizes = Map(
      "parquet.block.size" -> "8192",
      "parquet.page.size" -> "4096",
      "parquet.page.row.count.limit" -> "250")
    val filters = filterOptions(Seq("k", "s"), ndv = 1000, fpp = "0.0001")
    val target = saved("keys", rows, sizes ++ filters)
    // the cache ignores footers that are read sooner after the file was written
    Thread.sleep(2100)
    target
  }

  private def table: DataFrame = spark.read.parquet(keys)
  private def keyOf(id: Long): Long = spark.sql(s"SELECT xxhash64(${id}L)").head().getLong(0)

  private def scans(plan: LogicalPlan): Seq[HadoopFsRelation] = plan
    .collectWithSubqueries { case r: LogicalRelation =>
      r.relation
    }
    .collect { case r: HadoopFsRelation => r }

  private def selection(df: DataFrame): ScanPruning = pruning(df).get

  private def relation(df: DataFrame): HadoopFsRelation = scans(
    df.queryExecution.optimizedPlan).head

  private def dataTasks(df: DataFrame): Int = df.queryExecution.toRdd.getNumPartitions

  test("a present key plans one file and one task, and an absent key none.") {
    val present = table.where(s"k = ${keyOf(4321)}")
    assert(selection(present).keptFiles == 1)
    assert(present.inputFiles.length == 1)
    assert(dataTasks(present) == 1)
    assert(present.collect().map(_.getLong(0)).toSeq == Seq(4321L))
    val absent = table.where("k = 42")
    assert(selection(absent).keptFiles == 0)
    assert(dataTasks(absent) == 0)
    assert(absent.collect().isEmpty)
  }

  test("only the surviving row groups of a file are read.") {
    val one = table.where(s"k = ${keyOf(4321)}")
    val s = selection(one)
    assert(s.rowGroups > 8 && s.keptRowGroups == 1 && s.trimsFiles)
    one.collect()
    val read = one.queryExecution.executedPlan.collectLeaves().head.metrics("numOutputRows").value
    assert(read > 0 && read == s.rows.get && read < 1000)
    withConf("spark.sbbf.rowGroupPruning.enabled" -> "false") {
      val whole = table.where(s"k = ${keyOf(4321)}")
      assert(relation(whole).fileFormat.getClass == classOf[ParquetFileFormat])
      assert(whole.inputFiles.length == 1)
      assert(rows(whole) == rows(one))
    }
  }

  test("the pruned relation survives the optimizer, and a second run does not change it.") {
    val df = table.where(s"k = ${keyOf(1)}")
    val once = df.queryExecution.optimizedPlan
    assert(relation(df).location.isInstanceOf[PrunedFileIndex])
    assert(relation(df).fileFormat.isInstanceOf[PrunedParquetFormat])
    val twice = (new PruneRowGroups(Formats.all))(spark.sessionState.optimizer.execute(once))
    assert(
      scans(twice)
        .map(_.location)
        .collect { case i: PrunedFileIndex => i.base }
        .exists(!_.isInstanceOf[PrunedFileIndex]))
    assert(twice.sameResult(once))
  }

  test("pruning that the extension and the session both enable happens once.") {
    assert(SessionPruning.isActive(spark))
    spark.experimental.extraOptimizations = Seq(new PruneRowGroups(Formats.all))
    try {
      val df = table.where(s"k = ${keyOf(77)}")
      assert(selection(df).keptFiles == 1 && rows(df).size == 1)
    } finally SessionPruning.disable(spark)
    // the extension adds its rules here a second time
    def isOnceAtMost =
      spark.experimental.extraOptimizations.groupBy(_.ruleName).forall(_._2.size == 1)
    assert(isOnceAtMost && !SessionPruning.isActive(spark))
    SessionPruning.enable(spark)
    assert(isOnceAtMost && SessionPruning.isActive(spark))
  }

  test("an index equals another exactly if the bases are equal, and never its base.") {
    val a = relation(table.where("k = 1")).location
    val b = relation(table.where("k = 2")).location
    val other = spark.read.parquet(keys + "/*.parquet")
    assert(a == b && a.hashCode == b.hashCode)
    val base = a.asInstanceOf[PrunedFileIndex].base
    assert(base != a && a != base)
    assert(relation(other.where("k = 1")).location != a)
  }

  test("the listed files depend on the filters of listFiles, not on those of the plan.") {
    val df = table.where("k = 42")
    val index = relation(df).location.asInstanceOf[PrunedFileIndex]
    assert(index.listFiles(Nil, Nil).flatMap(_.files).size == 8)
    val attribute = df.queryExecution.analyzed.output.find(_.name == "k").get
    import org.apache.spark.sql.catalyst.expressions.{EqualTo, Literal}
    assert(index.listFiles(Nil, Seq(EqualTo(attribute, Literal(42L)))).isEmpty)
    assert(
      index.listFiles(Nil, Seq(EqualTo(attribute, Literal(keyOf(9))))).flatMap(_.files).size == 1)
  }

  private val predicates = Seq(
    "k = %d",
    "k IN (%d, 1, 2)",
    "k = %d OR id = 17",
    "k = %d AND few = 3",
    "NOT (k <> %d)",
    "k <=> %d",
    "k = %d OR s = 'nothing'",
    "few = 9",
    "few <> 3 AND k = %d",
    "id BETWEEN 100 AND 120",
    "d IS NULL AND k = %d",
    "d = 250.0",
    "d IN (0.0, 7998.0)",
    "id < 0",
    "k IN (%d, NULL)",
    "NOT (few IN (0,1,2,3,4,5))",
    "s = concat('u', 1)"
  )

  for {
    trim <- Seq("true", "false")
    vectorized <- Seq("true", "false")
    predicate <- predicates
  } test(s"the rows equal the oracle: $predicate, trim $trim, vectorized $vectorized.") {
    val query = predicate.replace("%d", keyOf(4000).toString)
    val expected = oracle(table.where(query))
    withConf(
      "spark.sbbf.rowGroupPruning.enabled" -> trim,
      "spark.sql.parquet.enableVectorizedReader" -> vectorized) {
      assert(rows(table.where(query)) == expected)
    }
  }

  private lazy val zeros: String = {
    val target = path("zeros")
    spark
      .sql(
        "SELECT id, IF(id % 4 = 0, -0.0D, IF(id % 4 = 1, 0.0D, IF(id % 4 = 2, 2.0D, DOUBLE('NaN')))) AS f " +
          "FROM range(0, 400, 1, 1)")
      .union(spark.sql("SELECT id, -0.0D FROM range(0, 10, 1, 1)"))
      .union(spark.sql("SELECT id, CAST(id AS DOUBLE) + 0.5 FROM range(0, 3000, 1, 1)"))
      .write
      .option("parquet.bloom.filter.enabled#f", "true")
      .option("parquet.bloom.filter.expected.ndv#f", "4000")
      .parquet(target)
    target
  }

  for {
    trim <- Seq("true", "false")
    predicate <- Seq(
      "f = 0.0D",
      "f = -0.0D",
      "f <=> 0.0D",
      "f IN (0.0D, 9.5D)",
      "f >= 0.0D",
      "f > -0.0D",
      "f <= -0.0D",
      "f < 0.0D",
      "f <> 2.0D",
      "f = DOUBLE('NaN')",
      "f > 1e300D",
      "NOT (f < 5.0D)",
      "f = (SELECT 0.0D)",
      "f = 2.0D",
      s"f NOT IN (${(1 to 12).map(n => s"$n.0D").mkString(", ")}, NULL)"
    )
  } test(s"zeros and NaN lose no row: $predicate, trim $trim.") {
    val expected = oracle(spark.read.parquet(zeros).where(predicate))
    withConf("spark.sbbf.rowGroupPruning.enabled" -> trim) {
      assert(rows(spark.read.parquet(zeros).where(predicate)) == expected)
    }
  }

  test("an unsupported predicate opens no file and leaves the scan unchanged.") {
    val df = table.where("upper(s) = 'X'")
    assert(!relation(df).location.isInstanceOf[PrunedFileIndex])
    assert(relation(df).fileFormat.getClass == classOf[ParquetFileFormat])
  }

  test("a pass that prunes nothing stops after its sample.") {
    withConf("spark.sbbf.planning.sampleFiles" -> "2") {
      FooterCache.shared.clear()
      val s = selection(table.where("id >= 0"))
      assert(
        s.stoppedEarly && s.filesOpened == 2 && s.keptFiles == 8 && s.summary.contains("stopped"))
      assert(!selection(table.where(s"k = ${keyOf(5)}")).stoppedEarly)
    }
  }

  test("a footer is read once for two queries.") {
    FooterCache.shared.clear()
    assert(selection(table.where("k = 42")).filesOpened == 8)
    assert(selection(table.where("k = 43")).filesOpened == 0)
  }

  test("in local mode, the driver reads all files.") {
    withConf(SbbfConf.DistributedFiles.key -> "1") {
      FooterCache.shared.clear()
      assert(selection(table.where("k = 42")).tasks == TaskReads.Nothing)
    }
  }

  test("disabling pruning takes effect from the next query on.") {
    withConf(SbbfConf.Enabled.key -> "false") {
      assert(!relation(table.where("k = 42")).location.isInstanceOf[PrunedFileIndex])
    }
    assert(relation(table.where("k = 42")).location.isInstanceOf[PrunedFileIndex])
  }

  test("statistics after ANALYZE cover the kept row groups: size and rows, but no columns.") {
    spark.read.parquet(keys).write.saveAsTable("analyzed")
    spark.sql("ANALYZE TABLE analyzed COMPUTE STATISTICS FOR ALL COLUMNS")
    val (before, after) = withConf("spark.sql.cbo.planStats.enabled" -> "true") {
      (
        spark.table("analyzed").queryExecution.optimizedPlan.stats,
        spark
          .table("analyzed")
          .where("id = 5")
          .queryExecution
          .optimizedPlan
          .collectLeaves()
          .head
          .stats)
    }
    assert(before.rowCount.contains(BigInt(8000)))
    assert(after.sizeInBytes < before.sizeInBytes && after.rowCount.exists(_ < 8000))
    assert(after.attributeStats.isEmpty)
    assert(rows(spark.table("analyzed").where("id = 5")).size == 1)
  }

  test("a partitioned catalog table is pruned by partition and by row group.") {
    table.selectExpr("*", "few AS p").write.partitionBy("p").saveAsTable("parts")
    def query = spark.table("parts").where("p IN (1, 2) AND id = 1001")
    val expected = oracle(query)
    assert(rows(query) == expected)
    assert(query.inputFiles.forall(f => f.contains("p=1") || f.contains("p=2")))
    assert(
      rows(spark.table("parts").where("p = 0 OR id = 1001")) ==
        oracle(spark.table("parts").where("p = 0 OR id = 1001")))
  }

  test("a partition that is added to a catalog table between plan and run is read.") {
    table.selectExpr("*", "few AS p").write.partitionBy("p").saveAsTable("growing")
    val df = spark.table("growing").where("id = 1001")
    df.queryExecution.executedPlan
    spark.sql("INSERT INTO growing SELECT id, k, s, few, d, 77 FROM growing WHERE id = 1001")
    assert(rows(df).size == 2)
  }

  test("a file replaced after planning is read as the old or the new one, never as a mix.") {
    val target = path("replaced")
    val other = path("replacement")
    def write(to: String, from: Long, n: Long): Unit = spark
      .range(from, from + n, 1, 1)
      .selectExpr("id", "id AS k")
      .write
      .mode("overwrite")
      .option("parquet.block.size", "4096")
      .option("parquet.page.row.count.limit", "100")
      .option("parquet.enable.dictionary", "false")
      .parquet(to)
    def part(dir: String): File =
      new File(dir).listFiles.filter(_.getName.endsWith(".parquet")).head
    write(target, 0, 4000)
    write(other, 2000, 9000)
    val df = spark.read.parquet(target).where("k = 2500")
    assert(selection(df).trimsFiles)
    df.queryExecution.executedPlan
    Files.copy(part(other).toPath, part(target).toPath, StandardCopyOption.REPLACE_EXISTING)
    new File(part(target).getParentFile, s".${part(target).getName}.crc").delete()
    assert(rows(df) == Seq("[2500,2500]"))
  }

  test("the cached footer of a file is not combined with the filters of its replacement.") {
    def written(first: Long, second: Long) = TestFiles.write(
      "message m { required int64 key; required int64 other; }",
      TestFiles.Style(filters = Map("key" -> 100)),
      (Iterator.range(0, 100).map(first + _) ++ Iterator.range(0, 100).map(second + _)).map {
        key => (row: Group) =>
          row.add("key", key)
          row.add("other", 0L)
      }
    )
    val (file, other) = (written(0, 100), written(100, 0))
    assert(Files.size(file) == Files.size(other))
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis - 60000))
    val df = spark.read.parquet(file.toUri.toString)
    assert(rows(df.where("other = 1")).isEmpty) // caches its footer, but not its filters
    Files.copy(other, file, StandardCopyOption.REPLACE_EXISTING)
    Files.delete(file.resolveSibling(s".${file.getFileName}.crc"))
    assert(rows(df.where("key = 3")) == Seq("[3,0]"))
  }

  test("a pattern that Spark splits inside a character matches the same rows.") {
    val target = path("smileys")
    spark.range(0, 20, 1, 1).selectExpr("concat('\ud83d\ude00', id) AS s").write.parquet(target)
    for (pattern <- Seq("\ud83d\ude00%%", "\ud83d\ude00\\\\%%", "\ud83d\ude001\\\\_")) {
      def query = spark.read.parquet(target).where(s"s NOT LIKE '$pattern'")
      assert(rows(query) == oracle(query), pattern)
    }
  }

  test("names fold their case as in Spark: the long s is not an s.") {
    val target = path("long-s")
    spark.range(0, 3, 1, 1).selectExpr("id AS `\u017fize`").write.parquet(target)
    def query = spark.read.schema("size bigint").parquet(target).where("size IS NULL")
    assert(rows(query) == oracle(query) && rows(query).size == 3)
  }

  test("IS NULL finds decimals too large for their column, with the row-based reader.") {
    val target = path("wide-decimals")
    spark
      .range(0, 20000, 100, 1)
      .selectExpr("CAST(id AS DECIMAL(7,2)) AS d")
      .write
      .parquet(target)
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      def query = spark.read.schema("d decimal(5,2)").parquet(target).where("d IS NULL")
      assert(rows(query) == oracle(query) && rows(query).nonEmpty)
    }
  }

  test("record-level filters of parquet-mr lose no zero without the format swap.") {
    val expected = oracle(spark.read.parquet(zeros).where("f = 0.0D"))
    withConf(
      "spark.sbbf.rowGroupPruning.enabled" -> "false",
      "spark.sql.parquet.enableVectorizedReader" -> "false",
      "spark.sql.parquet.recordLevelFilter.enabled" -> "true"
    ) {
      assert(rows(spark.read.parquet(zeros).where("f = 0.0D")) == expected)
    }
  }
}
