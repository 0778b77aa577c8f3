package io.sbbf.spark.index

import java.io.File

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.functions.expr

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.model.Evidence

/** Builds indexes of tables without filters, and compares queries with those without pruning. */
class IndexSuite extends IndexedTables {
  private def write(name: String, from: Long = 0, files: Int = Files): String = {
    val rows = spark
      .range(from, from + Rows, 1, files)
      .selectExpr(
        "id",
        "xxhash64(id) AS key",
        "concat('user-', hash(id)) AS name",
        "IF(id % 7 = 0, NULL, cast(id % 11 AS int)) AS few",
        "cast(id AS double) / 4 AS real",
        "cast(id AS decimal(20, 2)) AS price",
        "date_add(DATE'2026-01-01', cast(id % 3000 AS int)) AS day",
        "named_struct('inner', xxhash64(id, 1)) AS st",
        "array(concat('tag-', id), concat('tag-', id * 3)) AS tags"
      )
    saved(name, rows, Map("parquet.enable.dictionary" -> "false"))
  }

  private def index(table: String, columns: String*): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.create(table, columns))

  private lazy val table: String = {
    val path = write("indexed")
    settle(path)
    index(path, "key", "name", "few", "real", "price", "day", "st.inner", "tags.list.element")
    path
  }

  test("a lookup reads the file of its key, an absent key none, and neither opens another file") {
    // condition; files kept
    lookUp(
      table,
      "key = xxhash64(1234L)" -> 1,
      "key IN (xxhash64(5L), xxhash64(3999L))" -> 2,
      "key = 7" -> 0,
      "name = concat('user-', hash(77L))" -> 1,
      "real = 8.25D" -> 1,
      "real = 8.26D" -> 0,
      "day = DATE'2026-01-05'" -> 2, // id 4 and 3004
      "price = 1234" -> 1,
      "st.inner = xxhash64(99L, 1)" -> 1,
      "array_contains(tags, 'tag-3999')" -> 2, // 3999 and 1333 * 3
      "few = 12" -> 0,
      "key = xxhash64(1234L) AND name = 'x'" -> 0
    )
  }

  test("random queries answer as without pruning, with files that the index does not know") {
    val grown = write("grown")
    settle(grown)
    index(grown, "key", "name")
    move(write("more", from = Rows, files = 3), grown)
    index(grown, "real")
    queryRandomly(grown, 120, "keys")(s"few = ${random.nextInt(13)}")
  }

  test("keys of a join search the index") {
    import spark.implicits._
    val keys = Seq(17L, 2222L).toDF("n").select(expr("xxhash64(n)").as("key"))
    keys.write.mode("overwrite").parquet(path("keys"))
    val join = spark.read.parquet(table).join(spark.read.parquet(path("keys")), "key")
    val found = join.select("id")
    assert(found.collect().map(_.getLong(0)).sorted.toSeq == Seq(17L, 2222L))
    assert(prunings(found).exists(_.refutedBy.contains(Evidence.Index)))
  }

  test("a refresh indexes new files alone, and an index that knows all has nothing to do") {
    val daily = write("daily", files = 4)
    settle(daily)
    val first = index(daily, "key")
    assert(first.segment.isDefined && first.files == 4 && first.skipped == 0)
    assert(first.keys == Rows && first.entries == Rows && first.rowGroups == 4)
    assert(index(daily, "key").segment.isEmpty)
    move(write("tomorrow", from = Rows, files = 1), daily)
    val dry = IndexCommand.run(spark, IndexRequest.refresh(daily, isDryRun = true))
    assert(dry.segment.isEmpty && dry.files == 1 && dry.seconds > 0)
    val second = IndexCommand.run(spark, IndexRequest.refresh(daily))
    assert(second.files == 1 && second.keys == Rows)
    val Seq(info) = IndexCommand.info(spark, daily)
    assert(info.getString(0) == "key" && info.getInt(1) == 5 && info.getInt(2) == 5)
    assert(info.getInt(3) == 2 && info.getLong(4) == 2 * Rows)
    for (n <- Seq(3L, Rows + 3))
      assert(
        pruning(spark.read.parquet(daily).where(s"key = xxhash64(${n}L)")).get.keptFiles == 1)
    IndexCommand.drop(spark, daily)
    assert(IndexCommand.info(spark, daily).isEmpty && !new File(daily, "_sbbf").exists)
    assert(rows(spark.read.parquet(daily).where("id = 3")).size == 1)
  }

  test("an index of a partitioned table serves queries of its partitions") {
    val rows = spark.range(1000).selectExpr("id", "xxhash64(id) AS key", "id % 4 AS part")
    val place = path("parted")
    rows.repartition(1).write.partitionBy("part").parquet(place)
    (0 to 3).foreach(n => settle(s"$place/part=$n"))
    index(place, "key")
    for (of <- Seq(place, s"$place/part=3")) {
      val query = spark.read.parquet(of).where("key = xxhash64(7L)")
      assert(pruning(query).get.keptFiles == 1 && query.count() == 1, of)
      val absent = pruning(spark.read.parquet(of).where("key = 5")).get
      assert(absent.keptFiles == 0 && absent.filesOpened == 0, of)
    }
    val refused = intercept[IllegalArgumentException](index(s"$place/part=3", "key"))
    assert(refused.getMessage.contains("is a partition: name its table"))
  }

  test("patterns of paths do not read the files of an index") {
    val place = path("nested")
    val rows = spark.range(40).selectExpr("id", "id % 2 AS year", "id % 4 AS month")
    rows.write.partitionBy("year", "month").parquet(place)
    def read(pattern: String) =
      oracle(spark.read.schema("id BIGINT").parquet(place + pattern)).size
    val patterns = Seq("", "/*/*", "/*/*/*", "/*/*/*.parquet")
    val before = patterns.map(read)
    index(place, "id")
    IndexCommand.run(
      spark,
      IndexRequest.create(place, Seq("id"), zones = Some(Rule(0, 0.01, fromFilters = false))))
    assert(patterns.map(read) == before)
    assert(spark.read.parquet(s"$place/*/*/*.parquet").where("id = 5").count() == 1)
  }

  test("a condition on partition columns indexes the files of some partitions") {
    val place = path("daily_parts")
    spark
      .range(1000)
      .selectExpr(
        "id",
        "xxhash64(id) AS key",
        "date_add(DATE'2026-11-01', cast(id % 4 AS int)) AS day")
      .write
      .partitionBy("day")
      .parquet(place)
    new File(place).listFiles.filter(_.isDirectory).foreach(d => settle(d.getPath))
    val files = new File(place).listFiles
      .filter(_.getName.startsWith("day="))
      .map(d => d.getName -> d.listFiles.count(_.getName.endsWith(".parquet")))
      .toMap
    def create(where: String) =
      IndexCommand.run(spark, IndexRequest.create(place, Seq("key"), Some(where)))
    def refresh(where: String) = IndexCommand.run(spark, IndexRequest.refresh(place, Some(where)))
    assert(create("day >= '2026-11-04'").files == files("day=2026-11-04"))
    assert(create("day = DATE'2026-11-04' AND day < current_date() + 10000").segment.isEmpty)
    // Spark evaluates some functions only after it has replaced them
    for (where <- Seq(
        "day BETWEEN '2026-11-04' AND '2026-11-09'",
        "nvl(day, day) = to_date('2026-11-04')"))
      assert(create(where).segment.isEmpty)
    assert(create("1 = 0").segment.isEmpty)
    assert(refresh("day IN ('2026-11-01')").files == files("day=2026-11-01"))
    assert(refresh("day > '2027-01-01'").segment.isEmpty)
    for ((where, message) <- Seq(
        "id = 3" -> "may only compare partition columns: day",
        "day = " -> "where is invalid",
        "nothing = 3" -> "is invalid",
        "day IN (SELECT max(day) FROM VALUES (DATE'2026-11-01') AS t(day))" -> "may only compare",
        "_metadata.file_name = 'x'" -> "may only compare",
        "rand() < 2" -> "may only compare"
      ))
      assert(
        intercept[IllegalArgumentException](create(where)).getMessage.contains(message),
        where)
    val plain = write("no_parts", files = 1)
    val refused = intercept[IllegalArgumentException](
      IndexCommand.run(spark, IndexRequest.create(plain, Seq("key"), Some("id > 3"))))
    assert(refused.getMessage.contains("needs partitions, and the table has none"))
    val all = spark.read.parquet(place)
    for (n <- 0 until 40; condition = s"key = xxhash64(${n}L)")
      assert(rows(all.where(condition)) == oracle(all.where(condition)))
  }

  test("a table that was just written is indexed, and a file of its folder finds the index") {
    val fresh = write("fresh", files = 2)
    index(fresh, "key")
    val all = new File(fresh).listFiles.map(_.getPath).filter(_.endsWith(".parquet")).toSeq
    for (read <- Seq(spark.read.parquet(fresh), spark.read.parquet(all: _*))) {
      val absent = pruning(read.where("key = 5")).get
      assert(absent.keptFiles == 0 && absent.filesOpened == 0)
    }
  }

  test("a file that cannot be read is skipped, and a refresh tries it again") {
    val broken = write("broken", files = 3)
    settle(broken)
    val file = new File(broken).listFiles.filter(_.getName.endsWith(".parquet")).head
    val bytes = java.nio.file.Files.readAllBytes(file.toPath)
    new File(broken, s".${file.getName}.crc").delete()
    java.nio.file.Files.write(file.toPath, Array.fill[Byte](bytes.length)(7))
    file.setLastModified(1700000000000L)
    val first = index(broken, "key")
    assert(first.files == 2 && first.skipped == 1 && first.reason.contains(file.getName))
    java.nio.file.Files.write(file.toPath, bytes)
    file.setLastModified(1700000000000L)
    assert(index(broken, "key").files == 1)
    assert(spark.read.parquet(broken).where("key = xxhash64(3L)").count() == 1)
  }

  test("a refresh builds a damaged segment again") {
    val damaged = write("damaged", files = 2)
    settle(damaged)
    val first = index(damaged, "key")
    val folder = new File(damaged, s"_sbbf/${first.segment.get}")
    folder.listFiles.filter(_.getName.startsWith("_keys-")).foreach(_.delete())
    IndexCache.shared.forget(new Path(s"file:$damaged/_sbbf"))
    assert(spark.read.parquet(damaged).where("key = xxhash64(3L)").count() == 1)
    val again = IndexCommand.run(spark, IndexRequest.refresh(damaged))
    assert(again.files == 2)
    assert(pruning(spark.read.parquet(damaged).where("key = 5")).get.index.segments == 1)
  }

  test("settings turn the index off and put it elsewhere") {
    val other = write("elsewhere", files = 2)
    settle(other)
    withConf("spark.sbbf.index.path" -> path("indexes")) {
      index(other, "key")
      assert(!new File(other, "_sbbf").exists)
      assert(pruning(spark.read.parquet(other).where("key = 5")).get.isIndexed)
    }
    assert(!pruning(spark.read.parquet(other).where("key = 5")).get.isIndexed)
    withConf("spark.sbbf.index.enabled" -> "false") {
      assert(!pruning(spark.read.parquet(table).where("key = 5")).get.isIndexed)
    }
  }

  test("a request that cannot be met names what is wrong") {
    val file = new File(table).listFiles.filter(_.getName.endsWith(".parquet")).head.getPath
    val bare = write("bare", files = 1)
    for ((action, message) <- Seq[(() => Any, String)](
        (() => index(table, "nothing"), "nothing"),
        (() => index(table, "key", "key"), "named twice"),
        (() => index(table), "name the columns"),
        (() => index(file, "key"), "is no folder"),
        (() => index(path("missing"), "key"), "no file or folder"),
        (() => IndexCommand.run(spark, IndexRequest.refresh(bare)), "has no index")
      )) {
      val error = intercept[IllegalArgumentException](action())
      assert(error.getMessage.contains(message), error.getMessage)
    }
  }
}
