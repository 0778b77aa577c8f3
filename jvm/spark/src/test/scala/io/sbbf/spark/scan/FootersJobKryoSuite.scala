package io.sbbf.spark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.pass.FileTasks
import io.sbbf.spark.files.FootersJob
import io.sbbf.spark.testing.SparkSuite

/** Runs jobs in applications that serialize only classes that they have registered. */
class FootersJobKryoSuite extends SparkSuite {
  import FootersJobKryoSuite._

  override protected def settings: Map[String, String] = Map(
    FootersJob.InLocalMode -> "true",
    "spark.serializer" -> "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrationRequired" -> "true")

  test("a job needs no registered classes.") {
    val job = new FootersJob(spark.sparkContext, new Configuration(false), 10, 1L << 20)
    val files = (0 until 100).map(i => FileVersion(new Path(s"file:/$i"), 1L, 1L))
    var found = Seq.empty[(Int, String)]
    job.run(files, new Names, _ => false) { (first, names) =>
      found ++= names.indices.map(k => (first + k, names(k)))
    }
    assert(found.sorted == files.indices.map(i => (i, i.toString)))
  }
}

object FootersJobKryoSuite {
  private final class Names extends FileTasks.Work[String] {
    override def apply(
        files: IndexedSeq[FileVersion],
        conf: Configuration,
        maxBytes: Long): IndexedSeq[String] = files.map(_.path.getName)
  }
}
