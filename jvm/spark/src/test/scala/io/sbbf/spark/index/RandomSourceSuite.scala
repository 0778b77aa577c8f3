package io.sbbf.spark.index

import java.io.File

import scala.util.{Random, Try}

import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.testing.TestFiles

/**
 * Compares random queries on CSV and JSON files, some with malformed records, with the oracle:
 * `SBBF_QUERIES` of them, from the seed `SBBF_SEED`.
 */
class RandomSourceSuite extends SourceTables {
  private val seed = TestFiles.seed()
  private val queries = TestFiles.queries(200, fewest = 60)
  private val random = new Random(seed)

  private def one[T](of: T*): T = of(random.nextInt(of.size))

  private def word: String =
    one("a", "b", " c ", "", "null", "é", "a,b", "1", "-0", "x;y", "it's") + one("", "", "7", "x")

  private def csvLine(): String = {
    def quoted(text: String) = if (random.nextInt(3) == 0) "\"" + text + "\"" else text
    random.nextInt(40) match {
      case 0 => one("\"open,1,2", "1", "1,2,3,4,5,6", "", "\"a\"b,1,2024-01-01,1.5", ",,,")
      case _ =>
        Seq(
          quoted(word.replace(",", ";")),
          one(random.nextInt(30).toString, random.nextInt(30).toString, "nope", "9999999999", "")
            .take(if (random.nextInt(20) == 0) 4 else 2),
          one("2024-01-0" + (1 + random.nextInt(9)), "1500-01-01", ""),
          one("1.5", "2.25", "10", "")
        ).mkString(",")
    }
  }

  private def jsonLine(): String = {
    val fields = random.shuffle(
      Seq(
        "\"s\": \"" + word + "\"",
        "\"n\": " + one(random.nextInt(30).toString, random.nextInt(30).toString, "null"),
        "\"d\": \"2024-01-0" + (1 + random.nextInt(9)) + "\"",
        "\"m\": " + one("1.5", "2.25", "10", "null")
      ))
    random.nextInt(40) match {
      case 0 =>
        one(
          "{",
          "[]",
          "not json",
          "{\"s\": \"a\\x\", \"n\": 3}",
          "{\"n\": \"many\", \"s\": \"a\"}",
          "[{\"n\": 1}, {\"n\": 2}]")
      case 1 => s"{${fields.mkString(", ")}, ${fields.head}, ${"\"N\": 4"}, ${"\"n\": 5"}}"
      case _ => s"{${fields.take(1 + random.nextInt(4)).mkString(", ")}}"
    }
  }

  private val Columns = "s STRING, n INT, d DATE, m DECIMAL(6, 2)"

  private def write(name: String, file: Int, isJson: Boolean): File =
    lines(
      name,
      s"$file.txt",
      (0 until 1 + random.nextInt(12)).map(_ => if (isJson) jsonLine() else csvLine()): _*)

  /**
   * Indexes the columns in random order, all at once or in segments of some columns and files that a
   * refresh merges.
   */
  private def indexed(name: String, isJson: Boolean, register: () => Unit): Unit = {
    val columns = random.shuffle(Seq("s", "n", "d", "m"))
    if (random.nextBoolean()) index(name, columns: _*)
    else {
      val (some, others) = columns.splitAt(1 + random.nextInt(3))
      index(name, some: _*)
      index(name, others: _*)
      val replaced = random.shuffle((0 until 8).toList).take(4)
      replaced.foreach(n => assert(new File(path(name), s"$n.txt").delete()))
      replaced.foreach(n => write(name, n + 8, isJson))
      register()
      index(name, random.shuffle(columns).take(1 + random.nextInt(3)): _*)
      IndexCommand.run(spark, IndexRequest.refresh(name))
    }
    ()
  }

  /** Returns a reader of a table with random files and options. */
  private def table(name: String, isJson: Boolean): () => DataFrame = {
    (0 until 8).foreach(write(name, _, isJson))
    val common = Seq(
      one("mode" -> "PERMISSIVE", "mode" -> "DROPMALFORMED", "MODE" -> "PERMISSIVE"),
      one("locale" -> "en-US", "dateFormat" -> "yyyy-MM-dd"))
    val own =
      if (isJson)
        Seq(
          one("allowUnquotedFieldNames" -> "true", "primitivesAsString" -> "false"),
          one("allowBackslashEscapingAnyCharacter" -> "true", "dropFieldIfAllNull" -> "true"))
      else
        Seq(
          one("header" -> "true", "header" -> "false"),
          one("nullValue" -> "a", "emptyValue" -> "b", "quote" -> "\"", "quote" -> "'"),
          one(
            "ignoreLeadingWhiteSpace" -> "true",
            "ignoreTrailingWhiteSpace" -> "true",
            "escape" -> "\\"),
          one("multiLine" -> "true", "enforceSchema" -> "true", "comment" -> "#")
        )
    val schema = if (random.nextBoolean()) Columns else s"$Columns, _corrupt_record STRING"
    val options = (common ++ own).toMap
    println(s"$name: $options; $schema")
    () => {
      val reader = spark.read.options(options).schema(schema)
      if (isJson) reader.json(path(name)) else reader.csv(path(name))
    }
  }

  private def leaf(): String = random.nextInt(7) match {
    case 0 | 1 => s"s = '${word.replace("'", "")}'"
    case 2 => s"n = ${random.nextInt(32)}"
    case 3 => s"n IN (${random.nextInt(32)}, ${random.nextInt(32)})"
    case 4 => s"d <=> DATE'2024-01-0${1 + random.nextInt(9)}'"
    case 5 => s"m = ${one("1.5", "2.25", "10", "3")}"
    case 6 => one("s IS NULL", "n > 20", "upper(s) = 'A'", "cast(n AS string) = '3'")
  }

  private def condition(depth: Int): String = random.nextInt(if (depth == 0) 1 else 4) match {
    case 0 => leaf()
    case 1 => s"(${condition(depth - 1)} AND ${condition(depth - 1)})"
    case 2 => s"(${condition(depth - 1)} OR ${condition(depth - 1)})"
    case 3 => s"NOT ${condition(depth - 1)}"
  }

  test("random queries on CSV and JSON with malformed records answer as without the index") {
    val Tables = queries / 20
    var (pruned, failed, built) = (0, 0, 0)
    for (n <- 0 until Tables) {
      val name = s"random_$n"
      val read = table(name, isJson = n % 2 == 0)
      def register(): Unit = read().createOrReplaceTempView(name)
      register()
      if (Try(indexed(name, isJson = n % 2 == 0, () => register())).isSuccess) built += 1
      for (_ <- 0 until 20) {
        val (text, columns) = (condition(2), one("s", "n", "*", "s, n", "count(*)", "d, m", "m"))
        def query = read().where(text).selectExpr(columns.split(", ").toSeq: _*)
        val (found, expected) = (Try(rows(query)), Try(oracle(query)))
        if (expected.isFailure) failed += 1
        else assert(found == expected, s"$name: SELECT $columns WHERE $text; SBBF_SEED=$seed")
        if (found.isSuccess && pruning(query).exists(_.keptFiles < 8)) pruned += 1
      }
    }
    println(
      s"$pruned of $queries queries were pruned in $built tables; $failed failed without the index")
    assert(pruned > queries / 10 && built > Tables / 2, s"SBBF_SEED=$seed")
  }
}
