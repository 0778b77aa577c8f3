package io.sbbf.parquet.model

import java.io.InterruptedIOException
import java.nio.channels.ClosedByInterruptException

object Interruption {

  /**
   * Returns whether a read failed because the query was cancelled, and not because of the file or
   * its store. Time-outs of HTTP clients are classes of their own: java.net.SocketTimeoutException,
   * and ConnectTimeoutException and ConnectionPoolTimeoutException of Apache HttpClient.
   */
  def is(e: Throwable): Boolean = e match {
    case e: InterruptedIOException => !e.getClass.getName.endsWith("TimeoutException")
    case _: ClosedByInterruptException => true
    case _ => false
  }
}
