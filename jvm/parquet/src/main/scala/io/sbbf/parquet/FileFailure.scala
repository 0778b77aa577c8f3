package io.sbbf.parquet

import java.io.IOException

import scala.util.control.NonFatal

/**
 * What goes wrong with one file and is no reason to stop at the others: damaged pages may claim more
 * memory than there is, and a codec may lack its native library.
 */
private[sbbf] object FileFailure {
  def unapply(e: Throwable): Option[Throwable] = e match {
    case NonFatal(_) | _: LinkageError | _: OutOfMemoryError | _: StackOverflowError => Some(e)
    case _ => None
  }

  /** What may be said of it: messages of parquet-mr's may hold values. */
  def message(e: Throwable): String = e match {
    case unusable: UnusableFile => unusable.reason
    case _: IOException => s"${e.getClass.getSimpleName}: ${e.getMessage}"
    case _ => e.getClass.getName
  }
}
