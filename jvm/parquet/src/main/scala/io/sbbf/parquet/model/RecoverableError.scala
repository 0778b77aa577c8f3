package io.sbbf.parquet.model

import java.io.{IOException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException

import scala.util.control.NonFatal

/**
 * Matches errors that pruning survives: the query continues without pruning. An [[Interruption]] is
 * none: the query was cancelled.
 *
 * They include LinkageError, because a class may be missing in this Spark, and
 * StackOverflowError, because a predicate may nest too deep.
 */
private[sbbf] object RecoverableError {
  def unapply(e: Throwable): Option[Throwable] = e match {
    case _ if Interruption.is(e) => None
    case NonFatal(_) | _: LinkageError | _: StackOverflowError => Some(e)
    case _ => None
  }

  /**
   * Matches errors of one file that do not prevent reading the others. They also include
   * OutOfMemoryError, because damaged pages may claim more memory than there is.
   */
  object OfFile {
    def unapply(e: Throwable): Option[Throwable] = e match {
      case RecoverableError(_) | _: OutOfMemoryError => Some(e)
      case _ => None
    }
  }

  /** Returns a message without values of the file, which parquet-mr's messages may hold. */
  def message(e: Throwable): String = e match {
    case unusable: UnusableFile => unusable.reason
    case _: IOException => s"${e.getClass.getSimpleName}: ${e.getMessage}"
    case _ => e.getClass.getName
  }
}

object Interruption {

  /**
   * Returns whether a read failed because the query was cancelled, and not because of the file or
   * its store. Time-outs of HTTP clients are classes of their own: java.net.SocketTimeoutException,
   * and ConnectTimeoutException and ConnectionPoolTimeoutException of Apache HttpClient. Those of
   * OkHttp have the message "timeout" (newTimeoutException in Okio's AsyncTimeout).
   */
  def is(e: Throwable): Boolean = e match {
    case e: InterruptedIOException =>
      !e.getClass.getName.endsWith("TimeoutException") && e.getMessage != "timeout"
    case _: ClosedByInterruptException => true
    case _ => false
  }
}
