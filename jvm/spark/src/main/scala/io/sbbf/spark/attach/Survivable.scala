package io.sbbf.spark.attach

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * What goes wrong with one file and is no reason to stop at the others: damaged pages may claim more memory than
 * there is, and a codec may lack its native library.
 */
private[attach] object Survivable extends Logging {
  def unapply(e: Throwable): Option[Throwable] = e match {
    case NonFatal(_) | _: LinkageError | _: OutOfMemoryError | _: StackOverflowError => Some(e)
    case _ => None
  }

  /** What may be said of it: messages of parquet-mr's may hold values. The log says where it came from. */
  def told(file: String, e: Throwable): String = {
    val kind = e.getClass.getName
    val quiet = new Exception(kind)
    quiet.setStackTrace(e.getStackTrace)
    logWarning(s"The filters of $file stay as they are", quiet)
    e match {
      case _: IOException => s"${e.getClass.getSimpleName}: ${e.getMessage}"
      case _ => kind
    }
  }
}
