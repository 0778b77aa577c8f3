package io.sbbf.spark.command

import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.spark.SessionBridge
import io.sbbf.spark.testing.SparkSuite

class CommandSuite extends SparkSuite {
  private lazy val table: String =
    saved("events", spark.range(0, 100, 1, 2).selectExpr("xxhash64(id) AS key", "id"))

  test("each command has options of its own names, a table, and columns.") {
    for (command <- Command.all) {
      val names = command.options.map(_.name)
      assert(names.distinct == names && names.headOption.contains("table"), command.name)
      assert(command.schema.nonEmpty, command.name)
    }
  }

  test("a command refuses its options before it needs a session.") {
    for ((name, options, message) <- Seq(
        ("create_index", Map("table" -> "t"), "name the columns to index"),
        ("create_index", Map("columns" -> "key"), "the option table is missing"),
        (
          "create_index",
          Map("table" -> "t", "columns" -> "[key"),
          "columns must be comma-separated names or"),
        ("add_filters", Map("table" -> "t", "fpp" -> "0.1"), "fpp needs columns"),
        ("add_filters", Map("table" -> "t", "options" -> "{"), "options must be a JSON object"),
        ("drop_index", Map("tabel" -> "t"), "drop_index has no option 'tabel'; its options are"),
        ("advise", Map("table" -> "t", "fpp" -> "7"), "fpp must be between 0 and 1")
      )) {
      val e = intercept[IllegalArgumentException](Command.named(name).prepared(options))
      assert(e.getMessage.startsWith(message), name)
    }
    val e = intercept[IllegalArgumentException](Command.named("add_index"))
    assert(e.getMessage == "unknown command add_index")
  }

  test("the bridge and SQL run the same command on the same options.") {
    val created = new ObjectMapper().readTree(
      new SessionBridge()
        .run(spark, "create_index", s"""{"table": "$table", "columns": ["key"]}"""))
    assert(created.get("files").asInt == 2 && created.get("keys").asLong == 100)
    assume(!spark.version.startsWith("3."))
    def call(text: String) = spark.sql(s"CALL sbbf.system.$text").collect().toSeq
    val Seq(info) = call(s"index_info('$table')")
    assert(info.getAs[String]("path_in_schema") == "key" && info.getAs[Int]("files") == 2)
    val Seq(dry) = call(s"create_index('$table', array('id'), true)")
    assert(dry.getAs[String]("segment") == null && dry.getAs[Int]("files") == 2)
    val Seq(advice) = call(s"advise('$table', columns => array('key'), row_groups => 8)")
    assert(advice.getAs[String]("path_in_schema") == "key")
    val planned = call(
      s"add_filters('$table', array('key'), map('parquet.bloom.filter.fpp#key', '0.1'), " +
        "dry_run => true, where => NULL)")
    assert(planned.map(_.getAs[String]("status")) == Seq("planned", "planned"))
    assert(call(s"drop_index('$table')").head.getAs[Long]("bytes") > 0)
  }
}
