package io.sbbf.spark

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.sbbf.spark.catalog.{FilterFunctions, SbbfCatalog}
import io.sbbf.spark.session.{InjectedRules, SessionPruning, WarmUp}
import io.sbbf.spark.util.SbbfConf

/**
 * The session extension: `spark.sql.extensions=io.sbbf.spark.SbbfExtensions`. Spark 4 finds it by itself when
 * the JAR is on the class path. Registering it twice is harmless: the rule leaves a pruned relation as it is.
 *
 * The rule runs in the optimizer's "Pre CBO Rules", where nearly all static filters stand directly above their
 * relation and the pruned size still reaches join selection, and again at the end, for those that come later: what
 * `EXISTS` and `IN` ask of the outer table is only then pushed to its scan. The catalog `sbbf` and the table functions
 * `sbbf_filters` and `sbbf_probe` come with it.
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
      SessionPruning.pruneLast(session)
      InjectedRules.pruneRowGroups(session)
    }
    extensions.injectPreCBORule(InjectedRules.writeExactFilters)
    FilterFunctions.all.foreach(extensions.injectTableFunction)
    extensions.injectQueryStagePrepRule(InjectedRules.showPruning)
    extensions.injectColumnar(InjectedRules.showPruningLast)
  }

  /** Checks no plan. Spark builds it with the session's analyzer, when starting the session no longer needs all cores. */
  private def warmUp(session: SparkSession): LogicalPlan => Unit = {
    // the text alone: an invalid one must not fail the session
    if (session.sessionState.conf.getConfString(SbbfConf.Enabled.key, "true") != "false")
      WarmUp.start()
    _ => ()
  }
}
