package io.sbbf.spark.delta

import java.lang.reflect.Modifier

import scala.util.Try

import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation}

/**
 * Recognizes the relations of Delta tables by the names of Delta's classes, which are not on the
 * class path of this extension. An unknown class is not a Delta table.
 *
 * Sources: `PrepareDeltaScan`, `TahoeFileIndex` and `DeltaParquetFileFormat` of Delta 3.2 to 4.4.
 */
private[delta] object DeltaRelation {
  private final val Package = "org.apache.spark.sql.delta"
  private final val Prepared = s"$Package.stats.PreparedDeltaFileIndex"
  private final val Newest = s"$Package.files.TahoeLogFileIndex"

  /**
   * The indexes of queries (with and without Delta's own data skipping) and of DELETE, UPDATE and
   * MERGE. The change data feed has others, whose rows are not those of the files.
   */
  private val Indexes = Set(Prepared, Newest, s"$Package.files.TahoeBatchFileIndex")

  /**
   * Returns whether a relation reads files in Delta's own format, in a version of it that names the
   * columns of its files.
   */
  def isDelta(files: HadoopFsRelation): Boolean = {
    val format = files.fileFormat.getClass
    format.getName == s"$Package.DeltaParquetFileFormat" &&
    Try(DeltaColumns.methodsOf(format)).isSuccess
  }

  /** Returns whether the rows of a relation with this index are those of the files it lists. */
  def listsDataFiles(index: FileIndex): Boolean = Indexes.contains(index.getClass.getName)

  /** Returns whether an index lists the files of the newest version of a table at each call. */
  def listsNewest(index: FileIndex): Boolean = index.getClass.getName == Newest

  /**
   * Returns an index of the same files with another size, for the optimizer. Returns None if the
   * class is not the one of a query, or has another shape than in the known versions.
   */
  def withSize(index: FileIndex, bytes: Long): Option[FileIndex] = index match {
    case prepared: FileIndex with Product if index.getClass.getName == Prepared =>
      val fields = prepared.productIterator.toSeq
      for {
        scan <- fields.collectFirst { case scan: Product if isScan(scan) => scan }
        size <- Try(
          scan.getClass.getMethod("scanned").invoke(scan).asInstanceOf[Product]).toOption
        resized <- copied(size, Some(bytes) +: Seq.fill(size.productArity - 1)(None))
        narrower <- withField(scan, size, resized)
        copy <- copied(prepared, fields.map(f => if (isSame(f, scan)) narrower else f))
      } yield copy.asInstanceOf[FileIndex]
    case _ => None
  }

  private def isScan(value: Any): Boolean =
    value.getClass.getName == s"$Package.stats.DeltaScan"

  private def isSame(a: Any, b: Any): Boolean = a.asInstanceOf[AnyRef] eq b.asInstanceOf[AnyRef]

  /**
   * Returns a copy of a case class with one value replaced, and with those of its second parameter
   * list. Relies on fields in the order of the parameters, and checks the copy for it.
   */
  private def withField(of: Product, before: Any, after: Any): Option[AnyRef] = Try {
    val constructor = widest(of.getClass)
    // those of lazy values are not final
    val fields = of.getClass.getDeclaredFields
      .filter(f => Modifier.isFinal(f.getModifiers) && !Modifier.isStatic(f.getModifiers))
    fields.foreach(_.setAccessible(true))
    val values = fields.map(f => if (isSame(f.get(of), before)) after else f.get(of))
    val copy = constructor.newInstance(values.map(_.asInstanceOf[AnyRef]): _*)
    require(fields.map(_.get(copy)).sameElements(values))
    copy.asInstanceOf[AnyRef]
  }.toOption

  private def copied(of: Any, values: Seq[Any]): Option[AnyRef] = Try {
    widest(of.getClass).newInstance(values.map(_.asInstanceOf[AnyRef]): _*).asInstanceOf[AnyRef]
  }.toOption

  private def widest(of: Class[_]) = of.getConstructors.maxBy(_.getParameterCount)
}
