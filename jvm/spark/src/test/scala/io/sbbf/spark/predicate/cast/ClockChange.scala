package io.sbbf.spark.predicate.cast

import java.time.{Instant, ZoneId}

/** A change of a zone's clocks by `micros` at an instant, or an instant without one. */
private[cast] final case class ClockChange(at: Long, micros: Long) {

  /** Returns instants before, in and after the times that are skipped or shown twice. */
  def near: Seq[Long] = {
    val length = math.max(micros.abs, 60000000L)
    val places = for (n <- -2 to 2; step <- Seq(-1, 0)) yield n * length / 2 + step
    (Seq(-86400000000L, 86400000000L) ++ places).map(at + _)
  }

  /** Returns whether clocks show the local time of `instant` twice. */
  def isShownTwice(instant: Long): Boolean = micros < 0 && (instant - at).abs <= micros.abs
}

private[cast] object ClockChange {

  /** Returns the changes from local mean time to 2030, and two other instants. */
  def all(zone: ZoneId): Seq[ClockChange] = {
    val rules = zone.getRules
    val transitions = Iterator
      .iterate(rules.nextTransition(Instant.parse("1850-01-01T00:00:00Z")))(last =>
        rules.nextTransition(last.getInstant))
      .takeWhile(next => next != null && next.getDateTimeBefore.getYear < 2030)
      .map(t => ClockChange(t.toEpochSecond * 1000000, t.getDuration.getSeconds * 1000000))
    ClockChange(0, 0) +: ClockChange(-12219292800000000L, 0) +: transitions.toSeq
  }
}
