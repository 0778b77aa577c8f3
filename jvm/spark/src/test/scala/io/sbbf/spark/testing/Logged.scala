package io.sbbf.spark.testing

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}

/** Captures the log of this project's classes. */
object Logged {

  /**
   * Returns the result of `body` and the messages at `level` or above that are logged meanwhile,
   * including the texts of logged exceptions.
   */
  def during[T](level: Level)(body: => T): (T, Seq[String]) = {
    val messages = new ConcurrentLinkedQueue[String]
    val appender = new AbstractAppender("logged", null, null, true, Array.empty[Property]) {
      override def append(event: LogEvent): Unit =
        if (event.getLoggerName.startsWith("io.sbbf")) {
          messages.add(event.getMessage.getFormattedMessage)
          Option(event.getThrown).foreach(e => messages.add(e.toString))
        }
    }
    appender.start()
    val root = LogManager.getRootLogger.asInstanceOf[Logger]
    root.addAppender(appender)
    Configurator.setLevel("io.sbbf", level)
    try {
      val result = body
      (result, messages.toArray(Array.empty[String]).toSeq)
    } finally {
      Configurator.setLevel("io.sbbf", Level.ERROR)
      root.removeAppender(appender)
    }
  }
}
