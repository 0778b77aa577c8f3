package io.sbbf.spark.source

import java.io.{IOException, InterruptedIOException}
import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.orc.OrcFile

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.parquet.hashes.{FileKeys, IndexFacts, IndexableColumn, KeySource, StoredSchema}
import io.sbbf.parquet.model.{FileVersion, Logical, UnusableFile}
import io.sbbf.spark.table.KeyOpener

/**
 * The keys of a file as Spark's own reader reads it. The whole file is one zone.
 *
 * A file with a malformed record has no keys: the values of such a record depend on the mode and on
 * the other columns of a read. In every other record a column has one value, whatever is read beside
 * it.
 *
 * @param checksVersion whether the file must still be the listed version
 */
private[source] final class SourceKeys(
    file: FileStatus,
    conf: Configuration,
    readers: SourceReaders,
    checksVersion: Boolean)
    extends FileKeys {
  import SourceKeys._

  private val columns = readers.columns

  /** Reads the whole file. */
  override def facts(wanted: Seq[String]): IndexFacts = {
    if (readers.isOrc && isEncrypted) throw new UnusableFile(Encrypted)
    val together = columns.map(_.collector(None))
    var rows = 0L
    reading {
      readers.rows(file, conf).foreach { row =>
        rows += 1
        columns.indices.foreach(c => columns(c).add(row, readers.places(c), together(c)))
      }
    }
    val reasons = columns.indices.map { c =>
      val isSame =
        !readers.dependsOnOthers ||
          Arrays.equals(together(c).result(), hashesOf(0, KeySource(c, None)))
      if (isSame) None else Some(Dependent)
    }
    check()
    IndexFacts(
      Seq(rows),
      StoredSchema.ofColumns(columns.map(c => c.name -> c.columnType)),
      wanted.map(name =>
        KeyedColumn
          .parse(name)
          .fold(
            why => IndexableColumn(-1, Nil, Nil, Some(why)),
            keyed => column(keyed, rows, reasons)))
    )
  }

  private def column(
      keyed: KeyedColumn,
      rows: Long,
      reasons: IndexedSeq[Option[String]]): IndexableColumn = {
    val place = columns.indexWhere(_.name == keyed.column)
    if (place < 0) IndexableColumn(-1, Nil, Nil, None)
    else {
      val isNoText = keyed.function.isDefined && columns(place).columnType.logical != Logical.Text
      val whyNot = if (isNoText) Some(NoText) else reasons(place)
      IndexableColumn(place, Seq(rows), Seq(0), whyNot)
    }
  }

  override def hashesOf(rowGroup: Int, source: KeySource): Array[Long] = {
    if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
    val column = columns(source.leaf)
    val collector = column.collector(source.function)
    reading(readers.rows(file, conf, source.leaf).foreach(column.add(_, 0, collector)))
    collector.result()
  }

  /** Spark's messages about malformed records quote them. */
  private def reading(read: => Unit): Unit =
    try read
    catch {
      case NonFatal(e) if readers.dependsOnOthers && !e.isInstanceOf[IOException] =>
        throw new UnusableFile(s"$Malformed (${e.getClass.getName})")
    }

  /** A reader without the key would see other values. */
  private def isEncrypted: Boolean = {
    val reader = OrcFile.createReader(file.getPath, OrcFile.readerOptions(conf))
    try reader.getEncryptionVariants.nonEmpty
    finally reader.close()
  }

  override def check(): Unit = if (checksVersion) {
    val now = FileVersion.of(file.getPath.getFileSystem(conf).getFileStatus(file.getPath))
    if (!now.isSameAs(FileVersion.of(file)))
      throw new IOException(s"${file.getPath} was replaced after its listing")
  }

  /** Readers close what they opened when their task ends. */
  override def close(): Unit = ()
}

private[source] object SourceKeys {

  /** Opens files for their keys. */
  def opener(readers: SourceReaders): KeyOpener = (file, table, checksVersion) =>
    new SourceKeys(file, table.conf, readers, checksVersion)

  private final val Encrypted = "encrypted"
  private final val Malformed =
    "it has a malformed record, so that its values depend on the mode of a read"
  private final val Dependent = "its values depend on the columns that are read beside it"
  private final val NoText = "it is no STRING column, as functions of a column need"
}
