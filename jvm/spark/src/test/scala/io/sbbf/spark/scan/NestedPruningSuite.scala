package io.sbbf.spark.scan

import java.nio.file.Paths
import java.util.Arrays

import scala.util.Random

import org.apache.parquet.example.data.Group
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/** Checks that queries on arrays and maps equal the oracle, and prune. */
class NestedPruningSuite extends SparkSuite {
  import NestedPruningSuite._

  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  /** Writes three files of several row groups, each with its own range of numbers and words. */
  private def write(
      target: String,
      random: Random,
      options: Map[String, String] = Map.empty): String = {
    for (from <- Seq(0, 100, 200)) {
      val rows = Seq.fill(250)(new RandomRow(random, from).row)
      spark
        .createDataFrame(Arrays.asList(rows: _*), Schema)
        .coalesce(1)
        .write
        .mode("append")
        .option("parquet.block.size", "1")
        .options(options)
        .parquet(target)
    }
    target
  }

  test("hundreds of predicates on arrays and maps equal the oracle.") {
    val seed = sys.env.get("SBBF_SEED").fold(Random.nextLong())(_.toLong)
    info(s"SBBF_SEED=$seed")
    val random = new Random(seed)
    val filters = filterOptions(Leaves, ndv = 100, fpp = "0.001")
    val standard = write(path("standard"), random, filters)
    val legacy =
      withConf("spark.sql.parquet.writeLegacyFormat" -> "true")(write(path("legacy"), random))
    var total, pruned = 0
    for {
      target <- Seq(standard, legacy)
      conf <- Confs
    } {
      val predicates = Seq.fill(Queries / TestFiles.stride)(new RandomPredicate(random).predicate)
      // as columns, Spark evaluates the predicates without filtering anything first
      val truths = withConf(("spark.sbbf.enabled" -> "false") +: conf: _*) {
        val marks = predicates.map(p => expr(s"collect_list(if($p, id, NULL))"))
        spark.read.parquet(target).agg(marks.head, marks.tail: _*).head()
      }
      withConf(conf: _*) {
        for ((predicate, n) <- predicates.zipWithIndex) {
          val query = spark.read.parquet(target).where(predicate)
          val found = query.select("id").collect().map(_.getLong(0)).sorted.toSeq
          assert(found == truths.getSeq[Long](n).sorted, s"$predicate under $conf, seed $seed")
          total += 1
          if (pruning(query).exists(s => s.keptRowGroups < s.rowGroups)) pruned += 1
        }
      }
    }
    info(s"$pruned of $total queries planned fewer row groups")
    assert(pruned * 10 >= total * 4)
  }

  /** Title, schema of column `a`, function that writes numbers, and predicate for a number. */
  private val forms: Seq[(String, String, (Group, Seq[Long]) => Unit, String)] = Seq(
    (
      "a list of two levels",
      "optional group a (LIST) { repeated int64 array; }",
      { (g, values) =>
        val a = g.addGroup("a"); values.foreach(a.append("array", _))
      },
      "array_contains(a, %d)"),
    (
      "a repeated number",
      "repeated int64 a;",
      (g, values) => values.foreach(g.append("a", _)),
      "array_contains(a, %d)"),
    (
      "a repeated group",
      "repeated group a { optional int64 id; }",
      (g, values) => values.foreach(g.addGroup("a").append("id", _)),
      "exists(a, x -> x.id = %d)"),
    (
      "structs of one field as parquet-avro writes them",
      "optional group a (LIST) { repeated group array { required int64 id; } }",
      { (g, values) =>
        val a = g.addGroup("a"); values.foreach(a.addGroup("array").append("id", _))
      },
      "array_contains(a.id, %d)"),
    (
      "structs of one field as parquet-thrift writes them",
      "optional group a (LIST) { repeated group a_tuple { required int64 id; } }",
      { (g, values) =>
        val a = g.addGroup("a")
        values.foreach(a.addGroup("a_tuple").append("id", _))
      },
      "exists(a, x -> x.id = %d)"),
    (
      "structs with a field named like the list's innermost group",
      """optional group a (LIST) { repeated group list { optional group element {
        optional int64 element; optional group deep { optional int64 element; } } } }""",
      { (g, values) =>
        val a = g.addGroup("a")
        values.foreach(a.addGroup("list").addGroup("element").append("element", _))
      },
      "exists(a, x -> x.element = %d)"),
    (
      "Hive's lists",
      "optional group a (LIST) { repeated group bag { optional int64 array_element; } }",
      { (g, values) =>
        val a = g.addGroup("a")
        values.foreach(a.addGroup("bag").append("array_element", _))
      },
      "exists(a, x -> x IN (%d, -1))"),
    (
      "lists of lists of two levels",
      "optional group a (LIST) { repeated group array (LIST) { repeated int64 array; } }",
      { (g, values) =>
        val a = g.addGroup("a")
        values.foreach(a.addGroup("array").append("array", _))
      },
      "exists(a, x -> array_contains(x, %d))"),
    (
      "an old map",
      """optional group a (MAP) { repeated group map (MAP_KEY_VALUE) {
        required int64 k; optional int64 v; } }""",
      { (g, values) =>
        val a = g.addGroup("a")
        values.foreach(v => a.addGroup("map").append("k", v).append("v", v + 1))
      },
      "a[%dL] IS NOT NULL")
  )

  for ((title, schema, add, query) <- forms)
    test(s"$title: queries equal the oracle with both readers.") {
      val target = path(title.replaceAll("\\W", "_"))
      for ((values, n) <- Seq(
          Seq(Seq(10L, 30L), Nil, Seq(30L, 50L)),
          Seq(Seq(70L), Nil)).zipWithIndex)
        writeGroups(s"$target/$n.parquet", s"message m { $schema }", values.map(v => add(_, v)))
      for (vectorized <- Seq("true", "false"))
        withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
          for (number <- Seq(10, 20, 30, 50, 70, 99)) {
            def df = spark.read.parquet(target).where(query.replace("%d", number.toString))
            assert(rows(df) == oracle(df), s"$number")
            val held = if (Set(10, 30, 50, 70)(number)) 1 else 0 // files
            val isSure = !title.startsWith("structs with a field")
            if (isSure) assert(pruning(df).map(_.keptFiles).contains(held), s"$number")
          }
        }
    }

  private def writeGroups(file: String, schema: String, rows: Seq[Group => Unit]): Unit = {
    TestFiles.write(schema, TestFiles.Style(dictionary = true), rows.iterator, Paths.get(file))
    ()
  }

  test("an index beyond the end of an array still fails in ANSI mode.") {
    val target = path("short")
    spark.sql("SELECT array(1L, 2L) AS a UNION ALL SELECT array() AS a").write.parquet(target)
    withConf("spark.sql.ansi.enabled" -> "true") {
      for (query <- Seq("a[0] = 9", "element_at(a, 1) = 9"))
        intercept[Exception](spark.read.parquet(target).where(query).collect())
    }
  }

  test("fields that Spark finds by id prune by id, including nested ones.") {
    val target = path("ids")
    writeGroups(
      s"$target/0.parquet",
      """message m { required int64 a = 1; required int64 b = 2;
        optional group s (LIST) = 3 { repeated group list { optional group element {
          required int64 x = 7; required int64 y = 8; } } } }""",
      Seq { g =>
        val item = g.append("a", 10L).append("b", 20L).addGroup("s").addGroup("list")
        item.addGroup("element").append("x", 30L).append("y", 40L)
        ()
      }
    )
    def id(n: Int) = s"""{"parquet.field.id": $n}"""
    def field(name: String, kind: String, n: Int) =
      s"""{"name": "$name", "type": $kind, "nullable": true, "metadata": ${id(n)}}"""
    val long = "\"long\""
    val items =
      s"""{"type": "array", "containsNull": true, "elementType": {"type": "struct", "fields": [
        ${field("w", long, 8)}, ${field("z", long, 7)}]}}"""
    val schema = org.apache.spark.sql.types.DataType
      .fromJson(s"""{"type": "struct", "fields": [
        ${field("b", long, 1)}, ${field("c", long, 2)}, ${field("s", items, 3)}]}""")
      .asInstanceOf[StructType]
    // Spark 3.5's vectorized reader fails where ids reorder the fields of a struct
    withConf(
      "spark.sql.parquet.fieldId.read.enabled" -> "true",
      "spark.sql.parquet.enableVectorizedReader" -> "false") {
      val table = Seq(
        "b = 10" -> 1,
        "b = 20" -> 0,
        "c = 20" -> 1,
        "c = 10" -> 0,
        "exists(s, e -> e.w = 40)" -> 1,
        "exists(s, e -> e.w = 30)" -> 0,
        "exists(s, e -> e.z = 30 AND e.w = 40)" -> 1
      )
      for ((query, kept) <- table) {
        def df = spark.read.schema(schema).parquet(target).where(query)
        assert(oracle(df).size == kept, query)
        assert(pruning(df).map(_.keptRowGroups).contains(kept), query)
      }
    }
  }
}

private object NestedPruningSuite {
  val Queries: Int = sys.env.get("SBBF_QUERIES").fold(50)(_.toInt)

  val Schema: StructType = StructType.fromDDL(
    """id BIGINT, a ARRAY<BIGINT>, s ARRAY<STRUCT<id: INT, k: STRING, tags: ARRAY<STRING>>>,
      m MAP<STRING, BIGINT>, ms MAP<INT, STRUCT<id: INT, k: STRING>>, aa ARRAY<ARRAY<BIGINT>>,
      st STRUCT<xs: ARRAY<DOUBLE>, q: INT>""")

  val Leaves: Seq[String] = Seq(
    "a.list.element",
    "s.list.element.id",
    "s.list.element.k",
    "s.list.element.tags.list.element",
    "m.key_value.key",
    "m.key_value.value",
    "aa.list.element.list.element",
    "st.xs.list.element"
  )

  val Confs: Seq[Seq[(String, String)]] = Seq(
    Seq("spark.sql.ansi.enabled" -> "false"),
    Seq(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.parquet.enableVectorizedReader" -> "false"),
    Seq(
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.legacy.followThreeValuedLogicInArrayExists" -> "false",
      "spark.sql.legacy.sizeOfNull" -> "true")
  )

  trait Items {
    def random: Random
    def chance(odds: Int): Boolean = random.nextInt(odds) == 0
    def one[T](items: T*): T = items(random.nextInt(items.length))
  }

  /** A random row: any value may be NULL, and any array or map may be empty. */
  final class RandomRow(val random: Random, from: Int) extends Items {
    private def orNull(odds: Int)(value: => Any): Any = if (chance(odds)) null else value
    private def number: Long = from + random.nextInt(60).toLong
    private def word: String = s"w$number"
    private def array(item: => Any): Any = orNull(5)(Seq.fill(random.nextInt(4))(item))
    private def map(key: => Any)(value: => Any): Any =
      orNull(5)(Seq.fill(random.nextInt(3))(key -> value).toMap)
    private def real: Any =
      orNull(5)(one(0.0, -0.0, Double.NaN, number + 0.5, number + 0.5, number + 0.5))

    def row: Row = Row(
      random.nextInt(1000000).toLong,
      array(orNull(4)(number)),
      array(orNull(4)(Row(orNull(4)(number.toInt), orNull(4)(word), array(orNull(4)(word))))),
      map(word)(orNull(4)(number)),
      map(number.toInt)(orNull(4)(Row(orNull(4)(number.toInt), orNull(4)(word)))),
      array(array(orNull(4)(number))),
      orNull(5)(Row(array(real), orNull(5)(number.toInt)))
    )
  }

  final class RandomPredicate(val random: Random) extends Items {
    private def number: String = random.nextInt(300).toString
    private def word: String = s"'w$number'"
    private def real: String = one(s"$number.5D", s"$number.5D", "0.0D", "-0.0D", "DOUBLE('NaN')")

    def predicate: String = random.nextInt(10) match {
      case 0 => s"NOT ($atom)"
      case 1 => s"($atom) OR ($atom)"
      case 2 => s"($atom) AND ($atom)"
      case 3 => s"($atom) AND NOT ($atom)"
      case _ => atom
    }

    private def atom: String = random.nextInt(15) match {
      case 13 => of("st.q", number)
      case 0 => s"array_contains(a, $number)"
      case 1 => s"exists(a, x -> ${of("x", number)})"
      case 2 => s"exists(s, x -> ${ofStruct("x")})"
      case 3 => s"arrays_overlap(a, array($number, ${one("NULL", number)}))"
      case 4 => s"map_contains_key(m, $word)"
      case 5 => of(s"m[$word]", number)
      case 6 => of(s"element_at(m, $word)", number)
      case 7 => of(one("a[0]", "get(a, 1)", "element_at(a, -1)"), number)
      case 8 => s"array_contains(${one("s.k", "map_keys(m)", "s[0].tags")}, $word)"
      case 9 => s"exists(aa, x -> array_contains(x, $number))"
      case 10 => s"exists(st.xs, x -> ${of("x", real)})"
      case 11 => s"array_position(a, $number) ${one("> 0", "<> 0", "= 0", "= 1", "<=> NULL")}"
      case 12 =>
        s"size(filter(s, x -> ${ofStruct("x")})) ${one("> 0", "= 0", "<> 0", "< 1", "<> -1")}"
      case _ => one(of(s"ms[$number].id", number), s"map_values(ms)[0].k = $word")
    }

    private def ofStruct(x: String): String = random.nextInt(8) match {
      case 0 => s"${of(s"$x.id", number)} AND ${of(s"$x.k", word)}"
      case 1 => s"${of(s"$x.id", number)} OR ${of(s"$x.k", word)}"
      case 2 => s"NOT (${of(s"$x.id", number)} AND ${of(s"$x.k", word)})"
      case 3 => s"array_contains($x.tags, $word)"
      case 4 => s"NOT array_contains($x.tags, $word)"
      case 5 => s"${of(s"$x.id", number)} AND st.q = $number"
      case 6 => s"${of(s"$x.id", number)} OR st.q = $number"
      case _ => of(s"$x.id", number)
    }

    private def of(x: String, value: => String): String = random.nextInt(16) match {
      case 0 => s"$x IN ($value, $value)"
      case 1 => s"$x IN ($value, NULL)"
      case 2 => s"$x <> $value"
      case 3 => s"$x > $value"
      case 4 => s"$x <= $value"
      case 5 => s"$x IS NULL"
      case 6 => s"$x IS NOT NULL"
      case 7 => s"$x <=> $value"
      case 8 => s"NOT ($x <=> $value)"
      case 9 => s"NOT ($x < $value)"
      case 11 | 12 => s"($x >= $value AND $x <= $value)"
      case 10 => s"coalesce($x, $value) = $value"
      case _ => s"$x = $value"
    }
  }
}
