package io.sbbf.spark.util

import java.io.{IOException, PrintWriter, StringWriter}

import org.scalatest.funsuite.AnyFunSuite

/** Does the log state where an error came from, and no values? */
class LogOnceSuite extends AnyFunSuite {

  private def printed(e: Throwable): String = {
    val text = new StringWriter
    e.printStackTrace(new PrintWriter(text))
    text.toString
  }

  test("a trace has the classes and places of an error and of its causes, and no message.") {
    val error =
      new IllegalStateException("key 4711", new IOException("column secret"))
    val trace = printed(LogOnce.traceOf(error))
    for (part <- Seq("java.lang.IllegalStateException", "java.io.IOException", "LogOnceSuite"))
      assert(trace.contains(part))
    assert(!trace.contains("4711") && !trace.contains("secret"))
  }

  test("causes that go in circles are followed some steps.") {
    val (one, other) = (new IOException("a"), new IllegalStateException("b"))
    one.initCause(other)
    other.initCause(one)
    assert(printed(LogOnce.traceOf(one)).split("Caused by").length == 6)
  }

  test("the trace of an overflown stack is short.") {
    def deeper(n: Int): Int = 1 + deeper(n + 1)
    val overflow = intercept[StackOverflowError](deeper(0))
    assert(overflow.getStackTrace.length > 200)
    assert(printed(LogOnce.traceOf(overflow)).split("\n").length < 100)
  }
}
