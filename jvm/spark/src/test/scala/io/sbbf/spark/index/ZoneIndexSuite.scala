package io.sbbf.spark.index

import java.io.File

import org.apache.hadoop.fs.Path

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.model.Evidence
import io.sbbf.spark.util.CommandOptions

/** Builds filters of zones of tables, and compares queries with those without pruning. */
class ZoneIndexSuite extends IndexedTables {
  private val Lance = Rule(items = 8192, fpp = 0.00057, fromFilters = false)

  private def write(
      name: String,
      from: Long = 0,
      files: Int = Files,
      options: Map[String, String] = Map.empty): String = {
    val rows = spark
      .range(from, from + Rows, 1, files)
      .selectExpr(
        "id",
        "xxhash64(id) AS key",
        "concat('user-', hash(id)) AS name",
        "IF(id BETWEEN 1000 AND 1010, NULL, cast(id % 11 AS int)) AS few",
        "IF(id = 77, -0.0D, cast(id AS double) / 4) AS real",
        "IF(id = 78, cast('NaN' AS float), cast(xxhash64(id) AS float)) AS half",
        "named_struct('inner', xxhash64(id, 1)) AS st",
        "array(concat('tag-', id), concat('tag-', id * 3)) AS tags"
      )
    val path = saved(name, rows, Map("parquet.enable.dictionary" -> "false") ++ options)
    settle(path)
    path
  }

  private def index(table: String, rule: Rule, columns: String*): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.create(table, columns, zones = Some(rule)))

  private lazy val table: String = {
    val path = write("zoned")
    index(path, Lance, "key", "name", "few", "real", "half", "st.inner", "tags.list.element")
    path
  }

  test("a lookup reads the file of its key, an absent key none, and neither opens another file") {
    // condition; files kept
    lookUp(
      table,
      "key = xxhash64(1234L)" -> 1,
      "key <=> xxhash64(1234L)" -> 1,
      "key IN (xxhash64(5L), xxhash64(3999L))" -> 2,
      "key = 7" -> 0,
      "name = concat('user-', hash(77L))" -> 1,
      "real = 8.25D" -> 1,
      "real = 0.0D" -> 1, // both zeros are in the first file
      "few IS NULL" -> 1,
      "few <=> NULL" -> 1,
      "st.inner = xxhash64(99L, 1)" -> 1,
      "array_contains(tags, 'tag-3999')" -> 2, // 3999 and 1333 * 3
      "key = xxhash64(1234L) AND name = 'x'" -> 0
    )
  }

  test("filters never decide about !=, IS NOT NULL and NaN") {
    val all = spark.read.parquet(table)
    for (condition <- Seq(
        "key != xxhash64(1234L)",
        "NOT (key <=> 7)",
        "few IS NOT NULL",
        "half = cast('NaN' AS float)",
        "half IN (cast('NaN' AS float), 1.0F)")) {
      val query = all.where(condition)
      assert(rows(query) == oracle(all.where(condition)), condition)
      assert(!pruning(query).exists(_.refutedBy.contains(Evidence.Index)), condition)
    }
  }

  test("random queries answer as without pruning, whatever the zones and the kind of the index") {
    for (rule <- Seq(
        Rule(0, 0.01, fromFilters = false),
        Rule(37, 0.5, fromFilters = false),
        Rule(0, 0, fromFilters = true))) {
      val name = s"grown_${rule.items}_${rule.fromFilters}"
      val filters = Map(
        "parquet.bloom.filter.enabled#key" -> "true",
        "parquet.bloom.filter.expected.ndv#key" -> "200")
      val grown = write(name, options = filters)
      assert(index(grown, rule, "key", "name").files == Files)
      IndexCommand.run(spark, IndexRequest.create(grown, Seq("real")))
      move(write(s"more_$name", from = Rows, files = 3), grown)
      queryRandomly(grown, 40, rule.toString)("name IS NULL")
    }
  }

  test(
    "filters of the files are transposed without their values, and a file without any is kept") {
    val filters = Map(
      "parquet.bloom.filter.enabled#key" -> "true",
      "parquet.bloom.filter.expected.ndv#key" -> "400")
    val own = write("own_filters", files = 4, options = filters)
    val rule = Rule(0, 0, fromFilters = true)
    val done = index(own, rule, "key", "name")
    assert(done.files == 4 && done.entries == 4 && done.keys == 0)
    val found = pruning(spark.read.parquet(own).where("key = 5")).get
    assert(found.keptFiles == 0 && found.filesOpened == 0)
    // the files have no filters of name: each row group is kept, and its own evidence decides
    val kept = pruning(spark.read.parquet(own).where("name = 'user-5'")).get
    assert(kept.filesOpened == 4 && !kept.refutedBy.contains(Evidence.Index))
  }

  test("a refresh adds a segment for the new files of each kind, and info names the kinds") {
    val daily = write("daily_zones", files = 4)
    val first = index(daily, Lance, "key")
    assert(first.files == 4 && first.rowGroups == 4 && first.entries == 4 && first.keys == 0)
    assert(index(daily, Lance, "key").segment.isEmpty)
    IndexCommand.run(spark, IndexRequest.create(daily, Seq("name")))
    move(write("tomorrow_zones", from = Rows, files = 1), daily)
    val dry = IndexCommand.run(spark, IndexRequest.refresh(daily, isDryRun = true))
    assert(dry.segment.isEmpty && dry.files == 2 && dry.bytes > 0)
    val second = IndexCommand.run(spark, IndexRequest.refresh(daily))
    assert(second.files == 2 && second.segment.get.contains(", "))
    val infos = IndexCommand.info(spark, daily).map(row => row.getString(0) -> row).toMap
    assert(infos.keySet == Set("key", "name"))
    for ((column, kind) <- Seq("key" -> "bloom", "name" -> "keys")) {
      val info = infos(column)
      assert(info.getString(9) == kind && info.getInt(1) == 5 && info.getInt(2) == 5)
      assert(info.getInt(3) == 2 && info.getLong(6) > 0)
    }
    assert(infos("key").getLong(5) == 5)
    for (n <- Seq(3L, Rows + 3))
      assert(
        pruning(spark.read.parquet(daily).where(s"key = xxhash64(${n}L)")).get.keptFiles == 1)
    assert(IndexCommand.drop(spark, daily) > 0)
    assert(IndexCommand.info(spark, daily).isEmpty && !new File(daily, "_sbbf").exists)
  }

  test("a file that cannot be read is skipped, and numbers of the others stay right") {
    val broken = write("broken_zones", files = 3)
    val file = new File(broken).listFiles.filter(_.getName.endsWith(".parquet")).sorted.head
    val bytes = java.nio.file.Files.readAllBytes(file.toPath)
    new File(broken, s".${file.getName}.crc").delete()
    val damaged = bytes.clone()
    java.util.Arrays.fill(damaged, 4, bytes.length / 2, 7.toByte) // the footer stays valid
    java.nio.file.Files.write(file.toPath, damaged)
    file.setLastModified(1700000000000L)
    val first = index(broken, Lance, "key")
    assert(first.files == 2 && first.skipped == 1 && first.reason.contains(file.getName))
    java.nio.file.Files.write(file.toPath, bytes)
    file.setLastModified(1700000000000L)
    for (n <- Seq(3L, 2000L, 3999L)) {
      val query = spark.read.parquet(broken).where(s"key = xxhash64(${n}L)")
      assert(query.count() == 1 && pruning(query).get.filesOpened <= 2)
    }
    // Spark reads no file whose name begins with '_'
    val stored = new File(broken, s"_sbbf/${first.segment.get}").listFiles
    val Some(table) = stored.find(_.getName.startsWith("_zones-"))
    java.nio.file.Files.copy(table.toPath, new File(path("zones.parquet")).toPath)
    val zones = spark.read.parquet(path("zones.parquet"))
    assert(zones.select("fragment_id").collect().map(_.get(0).toString).toSet == Set("0", "1"))
    assert(IndexCommand.run(spark, IndexRequest.refresh(broken)).files == 1)
  }

  test("a refresh builds a damaged segment again, as it was") {
    val damaged = write("damaged_zones", files = 2)
    val first = index(damaged, Rule(100, 0.01, fromFilters = false), "key")
    val folder = new File(damaged, s"_sbbf/${first.segment.get}")
    folder.listFiles.filter(_.getName.startsWith("_slab-")).foreach(_.delete())
    IndexCache.shared.forget(new Path(s"file:$damaged/_sbbf"))
    assert(spark.read.parquet(damaged).where("key = xxhash64(3L)").count() == 1)
    val again = IndexCommand.run(spark, IndexRequest.refresh(damaged))
    assert(again.files == 2 && again.entries == first.entries && again.entries == 40)
    assert(pruning(spark.read.parquet(damaged).where("key = 5")).get.index.segments == 1)
  }

  test("a request that cannot be met names what is wrong") {
    def parse(options: (String, String)*) =
      IndexRequest.create(
        CommandOptions.of(
          "create_index",
          IndexRequest.OptionsOfCreate,
          Map("table" -> "t", "columns" -> "[\"key\"]") ++ options))
    assert(parse().zones.isEmpty && parse("kind" -> "keys").zones.isEmpty)
    assert(parse("kind" -> "bloom").zones.contains(Lance))
    assert(
      parse("kind" -> "bloom", "items" -> "0", "fpp" -> "0.01").zones
        .contains(Rule(0, 0.01, fromFilters = false)))
    assert(parse("kind" -> "bloom", "from_filters" -> "true").zones.exists(_.fromFilters))
    for ((options, message) <- Seq(
        Seq("kind" -> "hash") -> "kind must be 'keys' or 'bloom', but was 'hash'",
        Seq("items" -> "5") -> "items needs kind 'bloom'",
        Seq("fpp" -> "0.1") -> "fpp needs kind 'bloom'",
        Seq("from_filters" -> "true") -> "from_filters needs kind 'bloom'",
        Seq("kind" -> "bloom", "items" -> "-1") -> "items must be at least 0, but was -1",
        Seq("kind" -> "bloom", "items" -> "x") -> "items must be a whole number",
        Seq("kind" -> "bloom", "fpp" -> "1") -> "fpp must be between 0 and 1",
        Seq("kind" -> "bloom", "fpp" -> "x") -> "fpp must be between 0 and 1",
        Seq("kind" -> "bloom", "from_filters" -> "true", "items" -> "9") -> "items does not apply"
      ))
      assert(intercept[IllegalArgumentException](parse(options: _*)).getMessage.contains(message))
    val refused = intercept[IllegalArgumentException](index(table, Lance, "nothing"))
    assert(refused.getMessage.contains("nothing"))
  }
}
