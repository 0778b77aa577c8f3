package io.sbbf.parquet.model

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

object Interruption {

  /**
   * Returns whether a read failed because the query was cancelled, and not because of the file or
   * its store.
   */
  def is(e: Throwable): Boolean = e match {
    case _: SocketTimeoutException => false
    case _: InterruptedIOException | _: ClosedByInterruptException => true
    case _ => false
  }
}
