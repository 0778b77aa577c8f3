package io.sbbf.spark.plan

import scala.util.control.NonFatal

/**
 * What pruning gives up for, and the query does not fail of: also a class that this Spark does not have, and a
 * predicate that nests too deep.
 */
private[spark] object Trouble {
  def unapply(e: Throwable): Option[Throwable] = e match {
    case _: LinkageError | _: StackOverflowError => Some(e)
    case NonFatal(_) => Some(e)
    case _ => None
  }
}
