package io.sbbf.spark.location

import java.io.File

import io.sbbf.spark.table.LakeTable
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.TableFiles

class TableLocationSuite extends SparkSuite {

  private def of(table: String): String =
    TableLocation.of(table, spark) match {
      case path: ParquetPath => path.name
      case lake: LakeTable => fail(lake.name)
    }

  private def refused(table: String): String =
    intercept[IllegalArgumentException](of(table)).getMessage

  private def withTable(name: String, columns: String)(body: => Unit): Unit = {
    spark.sql(s"CREATE TABLE $name $columns")
    try body
    finally spark.sql(s"DROP TABLE $name")
  }

  private def folderOf(name: String): String =
    new File(folder, s"warehouse/$name").toURI.toString.stripSuffix("/")

  test("a name of one to three parts is the folder of its Parquet table.") {
    withTable("events", "(id INT) USING parquet") {
      for (name <- Seq("events", "default.events", "spark_catalog.default.events", "`events`"))
        assert(of(name) == folderOf("events"), name)
    }
  }

  test("a text with the characters of paths or patterns is a path, and is returned as it is.") {
    for (text <- Seq("/lake/events", "s3a://bucket/events", "./events", "events*", "a/b.c"))
      assert(of(text) == text)
  }

  test("an existing file is a path, and a name that is a table as well is ambiguous.") {
    assert(of("build.sbt") == "build.sbt")
    withTable("docs", "(id INT) USING parquet") {
      assert(refused("docs").startsWith("docs is a table and a path: write ./docs, or"))
      assert(of("default.docs") == folderOf("docs"))
    }
  }

  test("a name of nothing is refused with the name.") {
    for (name <- Seq("db.nothing", "nothing", "iceberg.db.nothing", "not a name"))
      assert(refused(name).startsWith(s"no file or table named $name:"))
  }

  test("a missing name with special characters is refused with how to quote it.") {
    for (name <- Seq("db.my-table", "not a name", "`open", "part-00001.parquet"))
      assert(refused(name).endsWith(", and quote special characters, as in db.`my-table`"), name)
    for (name <- Seq("db.nothing", "db.`my-table`"))
      assert(refused(name).endsWith("of a file, or catalog.database.table"), name)
  }

  test("a relative path of nothing is refused with the current folder.") {
    val here = new File("").getAbsoluteFile.toURI.toString.stripSuffix("/")
    assert(refused("nothing").contains(s": it is not in the current folder $here, and "))
    assert(!refused("delta.`/nothing`").contains("current folder"))
    def roots(path: String) = intercept[IllegalArgumentException] {
      TableFiles.roots(path, spark.sessionState.newHadoopConf())
    }.getMessage
    assert(
      roots("no/file*") ==
        s"no file or folder no/file* in the current folder $here: write its whole path")
    assert(roots("/no/file") == "no file or folder /no/file")
  }

  test("tables of other formats and views are refused.") {
    withTable("lines", "(id INT) USING json") {
      assert(refused("lines") == "lines has the format json, expected parquet, delta or iceberg")
    }
    spark.sql("CREATE VIEW seen AS SELECT 1 AS id")
    try assert(refused("seen") == "seen is a view: name its table")
    finally spark.sql("DROP VIEW seen")
  }

  test("a table whose files are in folders of any name is refused.") {
    withTable("deep", "(id INT) USING parquet OPTIONS (recursivefilelookup 'true')")(
      assert(refused("deep") ==
        "deep is read with the option recursiveFileLookup: name the folders of its files"))
    withTable("shallow", "(id INT) USING parquet OPTIONS (recursiveFileLookup 'false')")(
      assert(of("shallow") == folderOf("shallow")))
  }

  test("a table of ORC files can be listed, and not be changed.") {
    for (format <- Seq("USING orc", "USING org.apache.spark.sql.execution.datasources.orc"))
      withTable("ores", s"(id INT) $format") {
        assert(refused("ores").endsWith(", expected parquet, delta or iceberg"))
        TableLocation.ofListing("ores", spark) match {
          case path: ParquetPath => assert(path.isOrc && path.name == folderOf("ores"))
          case lake: LakeTable => fail(lake.name)
        }
      }
    withTable("lines", "(id INT) USING json") {
      val error =
        intercept[IllegalArgumentException](TableLocation.ofListing("lines", spark)).getMessage
      assert(error == "lines has the format json, expected parquet, orc, delta or iceberg")
    }
  }

  test("a condition selects files of a new listing, whatever was listed before.") {
    def write() = spark
      .range(4)
      .selectExpr("id", "id % 2 AS p")
      .coalesce(1)
      .write
      .mode("overwrite")
      .partitionBy("p")
      .parquet(path("parts"))
    write()
    val named = TableLocation.of(path("parts"), spark)
    assert(named.files.size == 2)
    write()
    val Seq(selected) = named.filesWhere("p = 1", spark)
    assert(new File(selected.getPath.toUri.getPath).isFile)
    assert(named.filesWhere("p = 2", spark).isEmpty)
  }

  test(
    "a table whose partitions a listing of its folder misses is refused, with the partition.") {
    for (place <- Seq(path("elsewhere"), path("warehouse/spread/2024-01")))
      withTable("spread", "(id INT, day INT) USING parquet PARTITIONED BY (day)") {
        spark.sql("ALTER TABLE spread ADD PARTITION (day = 1)")
        assert(of("spread") == folderOf("spread"))
        spark.sql(s"ALTER TABLE spread ADD PARTITION (day = 2) LOCATION '$place'")
        assert(
          refused("spread").startsWith(s"spread has a partition in file:$place, outside of "))
      }
  }

  test("a temporary view is refused, though it hides a table of its name.") {
    withTable("hidden", "(id INT) USING org.apache.spark.sql.parquet") {
      assert(of("hidden") == folderOf("hidden"))
      spark.range(1).createTempView("hidden")
      try assert(refused("hidden") == "hidden is a temporary view: name its table")
      finally spark.catalog.dropTempView("hidden")
    }
  }

  test("filters of a table are added, listed and dropped by its name.") {
    withTable("named", "(id INT) USING parquet") {
      spark.range(1000).selectExpr("CAST(id AS INT) AS id").write.insertInto("named")
      val change = "CALL sbbf.system.%s(table => 'default.named', columns => array('id'))"
      def filters = spark.read.format("sbbf").load("default.named").count()
      assume(!spark.version.startsWith("3."))
      spark.sql(change.format("add_filters")).collect()
      assert(filters == spark.table("sbbf.filters.`default.named`").count() && filters > 0)
      val drop = change.format("drop_filters")
      val e = intercept[Exception](spark.sql(drop.replace("array('id')", "NULL")).collect())
      assert(e.getMessage.contains("drop_filters: columns is NULL; leave it out"))
      assert(filters > 0)
      spark.sql(drop).collect()
      assert(filters == 0)
    }
  }
}
