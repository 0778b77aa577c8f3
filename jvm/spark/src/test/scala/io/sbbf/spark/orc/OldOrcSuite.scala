package io.sbbf.spark.orc

import java.io.File

import org.apache.spark.sql.DataFrame

import io.sbbf.FullRun

/**
 * Looks up keys in files that ORC 1.4 to 1.8 wrote, with filters in both encodings. `WriteOldOrc`
 * beside the files has written them: row n of stripe s holds the number 1000 s + 7 n.
 */
@FullRun
class OldOrcSuite extends OrcTables {

  private val files =
    new File(getClass.getResource("/orc").getPath).listFiles.toSeq
      .filter(_.getName.endsWith(".orc"))
      .sortBy(_.getName)

  private def equal(id: Int): Map[String, String] = Map(
    "id" -> s"id = $id",
    "name" -> s"name = 'n\u00e4me $id'",
    "price" -> s"price = ${id / 4.0}D",
    "day" -> s"day = date_add(date'1970-01-01', $id)",
    "amount" -> s"amount = $id.25",
    "code" -> s"code = 'c$id'",
    "at" -> s"at = timestamp_seconds(${86400L * id})"
  )

  test("five versions of ORC have written the files.") {
    assert(files.map(_.getName.takeWhile(_ != '-')).distinct.size == 5 && files.size == 7)
  }

  for (file <- files) {
    def where(condition: String): DataFrame = spark.read.orc(file.getPath).where(condition)

    test(s"${file.getName}: each key is found, whatever its type.") {
      for (id <- Seq(0, 1007, 2693); condition <- equal(id).values) {
        assertSameRows(where(condition), condition)
        assert(kept(where(condition))._1 > 0, condition)
      }
    }

    test(s"${file.getName}: filters rule out an absent key within the bounds of a stripe.") {
      val stripes = Seq(1, 2, 3, 1001, 1002, 1003).flatMap(equal(_).toSeq).groupBy(_._1).map {
        case (column, conditions) => column -> conditions.map(c => kept(where(c._2))._1).sum
      }
      // a filter keeps 0.01 of the 6 stripes whose bounds hold the keys
      assert(Seq("id", "name", "price", "day").forall(stripes(_) <= 1), stripes.toString)
      // ORC does not use the filters of decimals that ORC 1.4 wrote
      assert(stripes("amount") == (if (file.getName.startsWith("1.4")) 18 else 0))
      // CHAR and TIMESTAMP have no evidence
      assert(stripes("code") == 18 && stripes("at") == 18)
    }
  }
}
