package io.sbbf.spark.late

import scala.util.Random

/** Chooses settings that change how Spark runs joins, and how the extension prunes them. */
private[late] final class RandomSettings(random: Random) extends RandomChoice(random) {

  private def sometimes(percent: Int)(settings: => Seq[(String, String)]) =
    if (chance(percent)) settings else Nil

  def next(): Seq[(String, String)] = extension() ++ joins() ++ partitions() ++ reading()

  private def extension(): Seq[(String, String)] =
    sometimes(12)(Seq("spark.sbbf.runtimePruning.maxKeys" -> one(Seq("1", "2", "5")))) ++
      sometimes(12)(Seq("spark.sbbf.rowGroupPruning.enabled" -> "false")) ++
      sometimes(15)(Seq("spark.sbbf.planning.sampleFiles" -> one(Seq("0", "1", "2")))) ++
      sometimes(5)(Seq("spark.sbbf.cache.maxBytes" -> one(Seq("0", "20000"))))

  private def joins(): Seq[(String, String)] =
    sometimes(7)(Seq("spark.sql.adaptive.enabled" -> "false")) ++
      sometimes(30)(Seq("spark.sql.autoBroadcastJoinThreshold" -> one(Seq("-1", "-1", "8k")))) ++
      sometimes(5)(
        Seq("spark.sql.adaptive.autoBroadcastJoinThreshold" -> one(Seq("-1", "64k")))) ++
      sometimes(15)(Seq("spark.sql.adaptive.optimizer.excludedRules" -> PropagateEmpty)) ++
      sometimes(5)(Seq("spark.sql.constraintPropagation.enabled" -> "false")) ++
      sometimes(8)(
        Seq(
          "spark.sql.optimizer.runtime.bloomFilter.enabled" -> "true",
          "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold" -> "0")) ++
      sometimes(5)(Seq("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"))

  private def partitions(): Seq[(String, String)] =
    sometimes(30)(Seq("spark.sql.shuffle.partitions" -> one(Seq("1", "3", "5")))) ++
      sometimes(15)(Seq("spark.sql.adaptive.coalescePartitions.enabled" -> "false")) ++
      sometimes(15)(
        Seq(
          "spark.sql.adaptive.coalescePartitions.parallelismFirst" -> "false",
          "spark.sql.adaptive.coalescePartitions.minPartitionSize" -> "1b",
          "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> one(Seq("1k", "8k"))
        )) ++
      sometimes(15)(
        Seq(
          "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes" -> "100b",
          "spark.sql.adaptive.skewJoin.skewedPartitionFactor" -> "1",
          "spark.sql.adaptive.forceOptimizeSkewedJoin" -> one(Seq("true", "false")),
          "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> "1k"
        ))

  private def reading(): Seq[(String, String)] =
    sometimes(8)(Seq("spark.sql.parquet.enableVectorizedReader" -> "false")) ++
      sometimes(5)(Seq("spark.sql.readSideCharPadding" -> "false")) ++
      sometimes(5)(
        Seq(
          "spark.sql.files.maxPartitionBytes" -> "16k",
          "spark.sql.files.openCostInBytes" -> "1k")) ++
      // the suite interprets all other queries
      sometimes(4)(
        Seq(
          "spark.sql.codegen.wholeStage" -> "true",
          "spark.sql.codegen.factoryMode" -> "FALLBACK"))

  private def PropagateEmpty =
    "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
}
