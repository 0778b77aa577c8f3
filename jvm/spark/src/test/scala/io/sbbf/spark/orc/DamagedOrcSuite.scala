package io.sbbf.spark.orc

import java.io.File
import java.nio.file.Files

import scala.util.{Failure, Random, Success, Try}

import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/**
 * Runs lookups on damaged ORC files, on one for every 20 of SBBF_DAMAGES.
 *
 * ORC has no checksums, so nobody can notice that single bits of a filter or of a bound changed.
 * Damage therefore leaves the indexes of stripes alone, and reaches the end of the file if it
 * begins in its tail.
 */
class DamagedOrcSuite extends OrcTables {

  override protected def settings: Map[String, String] =
    SparkSuite.Interpreted + ("spark.executor.killOnFatalError.depth" -> "0")

  private val wanted = sys.env.get("SBBF_DAMAGES").fold(2000)(_.toInt) / 20 / TestFiles.stride

  private val random = new Random(TestFiles.seed())

  private lazy val whole: File = {
    val rows =
      spark.range(4000).repartition(1).selectExpr("id * 2 AS id", "concat('n', id) AS name")
    val table = written("whole", small ++ filters("id,name"), rows)
    new File(table).listFiles.find(_.getName.endsWith(".orc")).get
  }

  private lazy val undamaged: Array[Byte] = Files.readAllBytes(whole.toPath)

  /** The first byte and the one after the last of each stripe's data and footer, and of the tail. */
  private lazy val damageable: Seq[(Int, Int)] = {
    val conf = spark.sessionState.newHadoopConf()
    val reader = OrcFile.createReader(new Path(whole.getPath), OrcFile.readerOptions(conf))
    try {
      val stripes = (0 until reader.getStripes.size).map { n =>
        val stripe = reader.getStripes.get(n)
        val from = stripe.getOffset + stripe.getIndexLength
        (from.toInt, (stripe.getOffset + stripe.getLength).toInt)
      }
      stripes :+ ((stripes.last._2, undamaged.length))
    } finally reader.close()
  }

  private def damaged(): (String, Array[Byte]) = {
    val bytes = undamaged.clone()
    val (from, until) = damageable(random.nextInt(damageable.size))
    val at = from + random.nextInt(until - from)
    val isTail = until == undamaged.length
    val length = if (isTail) until - at else math.min(1 + random.nextInt(4000), until - at)
    random.nextInt(if (isTail) 3 else 4) match {
      case 0 => (s"cut at $at", bytes.take(at))
      case 1 =>
        java.util.Arrays.fill(bytes, at, at + length, 0.toByte)
        (s"$length zeros at $at", bytes)
      case 2 =>
        val noise = new Array[Byte](length)
        random.nextBytes(noise)
        System.arraycopy(noise, 0, bytes, at, length)
        (s"$length random bytes at $at", bytes)
      case _ =>
        bytes(at) = (bytes(at) ^ (1 << random.nextInt(8))).toByte
        (s"a bit at $at", bytes)
    }
  }

  /** Returns false for a row that damage has made up: no evidence knows its values. */
  private def isOfTheUndamagedFile(row: String): Boolean = {
    val Array(id, name) = row.stripPrefix("[").stripSuffix("]").split(",", 2)
    Try(id.toInt / 2).toOption.exists(n => n * 2 == id.toInt && name == s"n$n")
  }

  test(
    "lookups in damaged files find the rows of those without pushdown, and fail only as Spark's.") {
    var files, compared, failed = 0
    while (files < wanted) {
      val (what, bytes) = damaged()
      val file = new File(folder, s"damaged-$files.orc")
      Files.write(file.toPath, bytes)
      files += 1
      val key = random.nextInt(4000)
      for (condition <- Seq(s"id = ${2 * key}", s"name = 'n$key'", s"id = ${2 * key + 1}")) {
        def answer =
          Try(
            rows(spark.read.schema("id bigint, name string").orc(file.getPath).where(condition)))
        def ofSpark(pushdown: Boolean) = withConf(
          "spark.sbbf.enabled" -> "false",
          "spark.sql.orc.filterPushdown" -> pushdown.toString)(answer)
        (answer, ofSpark(pushdown = false)) match {
          case (_, Failure(_)) => failed += 1
          case (Success(some), Success(all)) =>
            val lost = all.diff(some).filter(isOfTheUndamagedFile)
            // ORC decodes damaged data in other ways if it skips row groups
            val madeUp = some.diff(all).filterNot(isOfTheUndamagedFile)
            assert(lost.isEmpty, s"$what: $condition: $some, not $all")
            if (madeUp.nonEmpty)
              assert(madeUp.diff(ofSpark(pushdown = true).get).isEmpty, s"$what: $condition")
            compared += 1
          case (Failure(_), Success(_)) if ofSpark(pushdown = true).isFailure => failed += 1
          case (Failure(e), Success(_)) => fail(s"$what: $condition", e)
        }
      }
      file.delete()
    }
    info(s"$files damaged files; $compared lookups compared, $failed also fail in Spark alone")
  }
}
