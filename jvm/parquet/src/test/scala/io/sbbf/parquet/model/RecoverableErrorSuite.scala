package io.sbbf.parquet.model

import java.io.{EOFException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import org.scalatest.funsuite.AnyFunSuite

class RecoverableErrorSuite extends AnyFunSuite {
  private val survived = Seq(
    new EOFException,
    new SocketTimeoutException,
    new InterruptedIOException("timeout"),
    new NoSuchMethodError,
    new StackOverflowError)
  private val passed = Seq(
    new InterruptedException,
    new InterruptedIOException,
    new InterruptedIOException("interrupted"),
    new ClosedByInterruptException,
    new OutOfMemoryError)

  test("errors of files, stores and classes are survived, and a cancelled query is not.") {
    assert(survived.filter(RecoverableError.unapply(_).isEmpty).isEmpty)
    assert(passed.filter(RecoverableError.unapply(_).isDefined).isEmpty)
  }
}
