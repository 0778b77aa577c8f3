package io.sbbf.spark.scan

import java.io.File
import java.nio.file.Files

import scala.util.{Failure, Random, Success, Try}

import io.sbbf.parquet.testing.{Damage, SampleFile, TestFiles}
import io.sbbf.spark.testing.SparkSuite

/** Runs queries on damaged files, until Spark answers one for every 20 of SBBF_DAMAGES. */
class DamagedScanSuite extends SparkSuite {

  // parquet-mr allocates the sizes that damaged files claim; the session must survive that
  override protected def settings: Map[String, String] =
    Map("spark.executor.killOnFatalError.depth" -> "0")

  private val wanted = sys.env.get("SBBF_DAMAGES").fold(2000)(_.toInt) / 20 / TestFiles.stride

  private val schema = "id bigint, text string, row int"

  /** Returns the rows, or the failure, for each condition. */
  private def answers(file: File, conditions: Seq[String]): Seq[Try[Seq[String]]] =
    conditions.map(c => Try(rows(spark.read.schema(schema).parquet(file.getPath).where(c))))

  test("queries on damaged files equal those without pushdown, and fail only where those fail.") {
    val random = new Random(TestFiles.seed())
    val damage = new Damage(random)
    var files, failed, compared = 0
    while (compared < wanted) {
      val sample = SampleFile.all(random.nextInt(SampleFile.all.length))
      damage.of(sample) match {
        case (what, Some(bytes)) =>
          val file = new File(folder, s"damaged-$files.parquet")
          Files.write(file.toPath, bytes)
          val (key, g) = (sample.key(_, _), random.nextInt(SampleFile.RowGroups))
          val present = key(g, random.nextInt(sample.keys))
          val conditions = Seq(
            s"id = $present",
            s"text = '${key(g, random.nextInt(sample.keys))}'",
            s"id IN (${key(0, 1)}, ${key(1, 1)}, 5) AND row >= 0",
            s"id = ${present + 1}")
          val expected =
            withConf(
              "spark.sbbf.enabled" -> "false",
              "spark.sql.parquet.filterPushdown" -> "false")(answers(file, conditions))
          for (((ours, theirs), condition) <- answers(file, conditions)
              .zip(expected)
              .zip(conditions))
            (ours, theirs) match {
              case (_, Failure(_)) => failed += 1
              case (Success(some), Success(all)) =>
                assert(some == all, s"${sample.name}, $what, file $files: $condition")
                compared += 1
              case (Failure(e), Success(_)) =>
                fail(s"${sample.name}, $what, file $files: $condition", e)
            }
          file.delete()
          files += 1
        case _ =>
      }
    }
    info(s"$files damaged files; $compared queries compared, $failed also fail without pushdown")
  }
}
