package io.sbbf.spark.pages

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf

/** Lets the tasks of a scan choose rows, in the files of one format. */
private[spark] trait RowSelection {

  /** Returns whether tasks can choose rows of these files. */
  def serves(files: HadoopFsRelation, conf: SQLConf): Boolean

  /** Returns the relation whose tasks choose rows by the conjuncts of a scan's filter. */
  def of(files: HadoopFsRelation, filters: Seq[Expression]): HadoopFsRelation
}
