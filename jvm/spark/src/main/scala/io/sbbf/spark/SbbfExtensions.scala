package io.sbbf.spark

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.sbbf.spark.catalog.SbbfCatalog
import io.sbbf.spark.report.LastStatement
import io.sbbf.spark.session.{InjectedRules, SessionPruning, WarmUp}
import io.sbbf.spark.util.SbbfConf

/**
 * Adds pruning to a session: `spark.sql.extensions=io.sbbf.spark.SbbfExtensions`. Spark 4 finds
 * the extension by itself when the JAR is on the class path. Registering it twice is harmless:
 * the rule leaves a pruned relation as it is.
 *
 * The rule runs in the optimizer's "Pre CBO Rules". There nearly all static filters stand
 * directly above their relation, and the pruned size still reaches join selection. The rule runs
 * again at the end of the optimizer: only then does Spark push the predicates that `EXISTS` and
 * `IN` imply on the outer table to its scan.
 *
 * The extension also registers the catalog `sbbf`.
 */
final class SbbfExtensions extends SparkSessionExtensionsProvider with Logging {
  override def apply(extensions: SparkSessionExtensions): Unit =
    SessionPruning.refusal(sys.props("java.specification.version")) match {
      case Some(reason) => logWarning(s"The session starts without spark-sbbf: $reason.")
      case None => extend(extensions)
    }

  private def extend(extensions: SparkSessionExtensions): Unit = {
    SbbfConf.register()
    SbbfCatalog.register()
    extensions.injectCheckRule(warmUp)
    extensions.injectPreCBORule { session =>
      // a session builds its optimizer before its first query
      LastStatement.watch(session.sparkContext)
      SessionPruning.pruneLast(session)
      InjectedRules.pruneEarly(session)
    }
    extensions.injectPreCBORule(InjectedRules.writeExactFilters)
    extensions.injectQueryStagePrepRule(InjectedRules.readPrunedDeltaFiles)
    extensions.injectQueryStagePrepRule(InjectedRules.showPruning)
    extensions.injectQueryStagePrepRule(InjectedRules.awaitJoinKeys)
    extensions.injectQueryStageOptimizerRule(InjectedRules.pruneByLateKeys)
    extensions.injectColumnar(InjectedRules.columnar)
  }

  /**
   * Starts the [[WarmUp]] and returns a rule that checks nothing. Spark builds check rules with
   * the session's analyzer, when the start of the session no longer needs all cores.
   */
  private def warmUp(session: SparkSession): LogicalPlan => Unit = {
    // compares the text: an invalid value must not fail the session
    if (session.sessionState.conf.getConfString(SbbfConf.Enabled.key, "true") != "false")
      WarmUp.start()
    _ => ()
  }
}
