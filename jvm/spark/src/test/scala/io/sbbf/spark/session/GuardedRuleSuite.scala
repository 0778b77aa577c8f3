package io.sbbf.spark.session

import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{
  HadoopFsRelation,
  InsertIntoHadoopFsRelationCommand,
  LogicalRelation
}
import org.apache.spark.sql.{SaveMode, SparkSession}

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.testing.{Logged, SparkSuite}
import io.sbbf.spark.util.SbbfConf
import io.sbbf.spark.write.ExactParquetFormat

class GuardedRuleSuite extends SparkSuite {
  private lazy val table = {
    spark.range(0, 100, 1, 4).write.parquet(path("t"))
    spark.read.parquet(path("t"))
  }
  private def analyzed = table.where("id = 5").queryExecution.analyzed
  private def executed = table.where("id = 5").queryExecution.executedPlan

  /** A rule that throws `failure`. Each test uses a new name, because each rule warns once. */
  private final class Failing(name: String, failure: => Throwable) extends Rule[LogicalPlan] {
    override val ruleName: String = name
    override def apply(plan: LogicalPlan): LogicalPlan = throw failure
  }

  private def guarded(name: String)(failure: => Throwable): LogicalPlan =
    new GuardedRule(spark, new Failing(name, failure)).apply(analyzed)

  for ((what, failure) <- Seq[(String, () => Throwable)](
      "an exception" -> (() => new IllegalStateException("secret")),
      "a class that is missing" -> (() => new NoClassDefFoundError("io/sbbf/Missing")),
      "a stack that overflows" -> (() => new StackOverflowError)
    ))
    test(s"$what in a rule leaves the plan unchanged and is logged once, without its message.") {
      val plan = analyzed
      val (_, lines) = Logged.during(Level.WARN) {
        (1 to 2).foreach { _ =>
          val rule = new GuardedRule(spark, new Failing(what, failure()))
          assert(rule(plan) eq plan)
        }
      }
      assert(lines.count(_.contains(s"$what failed")) == 1, lines)
      assert(!lines.exists(_.contains("secret")))
    }

  test("a cancelled query stays cancelled.") {
    intercept[InterruptedException](guarded("interrupted")(new InterruptedException))
    intercept[java.io.InterruptedIOException](
      guarded("interrupted read")(new java.io.InterruptedIOException))
  }

  test("every injected rule catches its own failures.") {
    val broken = null.asInstanceOf[SparkSession] // its settings cannot be read
    val query = analyzed
    assert(InjectedRules.pruneEarly(broken)(query) eq query)
    assert(InjectedRules.pruneLast(broken)(query) eq query)
    assert(InjectedRules.writeExactFilters(broken)(query) eq query)
    val physical: SparkPlan = executed
    assert(InjectedRules.showPruning(broken)(physical) eq physical)
    assert(InjectedRules.readPrunedDeltaFiles(broken)(physical) eq physical)
    val columnar = InjectedRules.columnar(broken)
    assert(columnar.preColumnarTransitions(physical) eq physical)
    assert(columnar.postColumnarTransitions(physical) eq physical)
  }

  test("every rule of the extension is guarded.") {
    val state = spark.sessionState
    val rules = state.optimizer.preCBORules ++ spark.experimental.extraOptimizations ++
      state.adaptiveRulesHolder.queryStagePrepRules ++
      state.columnarRules.collect { case rule: GuardedColumnarRule =>
        rule.before ++ rule.after
      }.flatten
    val ours = rules.filter(_.ruleName.startsWith("io.sbbf"))
    // Spark may also find the extension by itself, which adds each rule again
    assert(ours.map(_.ruleName).distinct.size == 7 && ours.size >= 10)
    assert(ours.forall(_.isInstanceOf[GuardedRule[_]]), ours.map(_.ruleName))
  }

  /** Runs `body` without an active session, as Spark's own tests and other tools do. */
  private def withoutActiveSession[T](body: => T): T = {
    val session = spark
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try body
    finally {
      SparkSession.setActiveSession(session)
      SparkSession.setDefaultSession(session)
    }
  }

  private def isPruned(plan: LogicalPlan): Boolean = plan.exists {
    case scan: LogicalRelation =>
      scan.relation.asInstanceOf[HadoopFsRelation].location.isInstanceOf[PrunedFileIndex]
    case _ => false
  }

  test("a plan follows the settings of its session when no session is active.") {
    val plan = analyzed
    val optimizer = spark.sessionState.optimizer
    assert(isPruned(withoutActiveSession(optimizer.execute(plan))))
    withConf(SbbfConf.Enabled.key -> "false")(
      assert(!isPruned(withoutActiveSession(optimizer.execute(plan)))))
  }

  test("a plan follows the settings of its session when another session is active.") {
    val other = spark.newSession()
    other.conf.set(SbbfConf.Enabled.key, "false")
    val plan = analyzed
    SparkSession.setActiveSession(other)
    try assert(isPruned(spark.sessionState.optimizer.execute(plan)))
    finally SparkSession.setActiveSession(spark)
  }

  test("files are written with exact filters when no session is active.") {
    val command = InsertIntoHadoopFsRelationCommand(
      new Path(path("written")),
      staticPartitions = Map.empty,
      ifPartitionNotExists = false,
      partitionColumns = Nil,
      bucketSpec = None,
      fileFormat = new ParquetFileFormat,
      options =
        Map("parquet.bloom.filter.enabled#id" -> "true", "sbbf.bloom.filter.fpp" -> "auto"),
      query = table.queryExecution.analyzed,
      mode = SaveMode.Append,
      catalogTable = None,
      fileIndex = None,
      outputColumnNames = Seq("id")
    )
    val rule = InjectedRules.writeExactFilters(spark)
    withoutActiveSession(rule(command)) match {
      case written: InsertIntoHadoopFsRelationCommand =>
        assert(written.fileFormat.isInstanceOf[ExactParquetFormat])
    }
  }

  test("a cloned session is pruned by its own settings.") {
    table.where("id = 5").count() // adds the last rule
    val clone = GuardedRuleSuite.cloned(spark)
    clone.sessionState.optimizer.preCBORules
    val sessions = clone.experimental.extraOptimizations.collect { case rule: GuardedRule[_] =>
      rule.session
    }
    assert(sessions.distinct == Seq(clone))
  }
}

private object GuardedRuleSuite {

  /** Clones a session, as Spark does for a stream; `cloneSession` is private to Spark. */
  def cloned(session: SparkSession): SparkSession =
    session.getClass.getMethod("cloneSession").invoke(session).asInstanceOf[SparkSession]
}
