package io.sbbf.spark.table

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.spark.util.{ClosureBytes, TableFiles}

/**
 * Runs work on a table's files in tasks.
 *
 * @param title what the jobs are for, in their descriptions
 * @param keys opens the files for their keys
 */
private[spark] final class TableTasks(
    session: SparkSession,
    hadoopConf: Configuration,
    table: => NamedFiles,
    title: String,
    keys: => KeyOpener = KeyOpener.Parquet) {
  import TableTasks._

  private lazy val opener = keys
  private lazy val conf = table.settings(session)

  private val context = session.sparkContext

  /** Returns the result of `work` for each item, in their order. */
  def map[A: ClassTag, B: ClassTag](items: Seq[A], what: String)(
      work: (A, OpenedTable) => B): Seq[B] =
    run(items, what) { (some, opened) =>
      some.map(item => ClosureBytes.pack(work(item, opened)))
    }(_.collect().toSeq.map(ClosureBytes.unpack[B](_)))

  /**
   * Returns the result of a job over what `work` makes of the items of each task. Our own classes
   * must be packed in it; see [[ClosureBytes]].
   */
  def run[A: ClassTag, B: ClassTag, C](items: Seq[A], what: String)(
      work: (Iterator[A], OpenedTable) => Iterator[B])(job: RDD[B] => C): C = {
    val shared = context.broadcast(new SerializableConfiguration(hadoopConf))
    val (files, columns) =
      (table.taskFiles, table.sampled(conf.caseSensitiveAnalysis))
    val ofTasks = opener
    try
      withProperties(settings + (JobDescription -> s"spark-sbbf $title: $what")) {
        job(
          context
            .parallelize(items, TableFiles.slices(items.size, context))
            .mapPartitions { some =>
              val conf = shared.value.value
              work(some, OpenedTable(conf, files.store(conf), columns, ofTasks))
            })
      }
    finally shared.destroy()
  }

  /** The settings that Spark's readers find in the properties of their task. */
  private def settings: Map[String, String] =
    conf.getAllConfs.filter { case (key, _) => key.startsWith("spark.sql.") }

  private def withProperties[C](properties: Map[String, String])(body: => C): C = {
    val before = properties.keys.map(key => key -> context.getLocalProperty(key)).toSeq
    properties.foreach { case (key, value) => context.setLocalProperty(key, value) }
    try body
    finally before.foreach { case (key, value) => context.setLocalProperty(key, value) }
  }
}

private[spark] object TableTasks {

  /** `SparkContext.SPARK_JOB_DESCRIPTION` */
  private final val JobDescription = "spark.job.description"
}
