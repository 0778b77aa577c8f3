package io.sbbf.spark.location

import java.io.IOException

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import io.sbbf.spark.source.SourceFiles
import io.sbbf.spark.table.{LakeTable, NamedFiles}
import io.sbbf.spark.util.TableFiles

/** Finds the files of a table by its name. */
private[spark] object TableLocation {

  /**
   * Returns the files of a table, by its name, or of a path.
   *
   * @param table a name such as `db.events`, or a file, a folder or a glob pattern
   * @throws IllegalArgumentException if there is neither a file nor a table of this name, if there
   *   are both, or if the table is a view, has another format, or has partitions outside of its
   *   partition folders
   */
  def of(table: String, session: SparkSession): NamedFiles = of(table, session, takesOrc = false)

  /**
   * Returns the files of a table, also of one of ORC files, or of a path, to list their evidence.
   *
   * @throws IllegalArgumentException as [[of]]
   */
  def ofListing(table: String, session: SparkSession): NamedFiles =
    of(table, session, takesOrc = true)

  /**
   * Returns the files of a table, also of one that Spark's other sources read, or of a path, to index
   * their keys.
   *
   * A name may be that of a temporary view of nothing but a read, or of a format with a path, as in
   * ``json.`/data/events` ``.
   *
   * @throws IllegalArgumentException as [[of]]
   */
  def ofIndex(table: String, session: SparkSession): NamedFiles =
    new NamedTable(table, session, takesOrc = false).source.getOrElse {
      of(table, session) match {
        case path: ParquetPath =>
          SourceFiles.ofPath(path.name, path.files, session).getOrElse(path)
        case lake => lake
      }
    }

  private def of(table: String, session: SparkSession, takesOrc: Boolean): NamedFiles = {
    val conf = session.sessionState.newHadoopConf()
    val exists =
      try isPath(table, conf)
      catch { case _: IOException => false } // the table may be in another store
    lazy val named = new NamedTable(table, session, takesOrc)
    val isTable =
      try isName(table) && named.exists
      catch { case NonFatal(_) if exists => false } // the path needs no metastore
    if (isTable && exists)
      throw new IllegalArgumentException(
        s"$table is a table and a path: write ./$table, or spark_catalog.database.table")
    else if (isTable) named.files
    else if (exists) new ParquetPath(table, conf)
    else
      throw new IllegalArgumentException(
        s"no file or table named $table: ${hint(table, session, conf)}")
  }

  private def hint(table: String, session: SparkSession, conf: Configuration): String = {
    val folder = Try(new Path(table).getFileSystem(conf).getWorkingDirectory).toOption
    folder
      .filter(_ => isPlain(table))
      .fold("")(f => s"it is not in the current folder $f, and ") +
      "names are looked up in the catalogs of the session; write the whole path of a file, or " +
      "catalog.database.table" +
      (if (Try(session.sessionState.sqlParser.parseMultipartIdentifier(table)).isSuccess) ""
       else ", and quote special characters, as in db.`my-table`")
  }

  /**
   * Returns the files of a path or a folder that may be changed.
   *
   * @throws IllegalArgumentException as [[of]], and if the name is of a Delta or Iceberg table
   */
  def ofChange(table: String, session: SparkSession): ParquetPath =
    of(table, session) match {
      case path: ParquetPath => path
      case lake: LakeTable =>
        throw new IllegalArgumentException(
          s"${lake.name} is ${lake.format.aTable}, which records the length of each file. " +
            s"Its files cannot be changed in place. Run ${lake.format.howToChange}.")
    }

  /**
   * Whether the text can only be a path, or a file or folder of this name exists.
   *
   * @throws java.io.IOException if the store cannot be reached
   */
  def isPath(table: String, conf: Configuration): Boolean =
    !isName(table) || (isPlain(table) && {
      val path = new Path(table)
      path.getFileSystem(conf).exists(path)
    })

  private def isName(table: String): Boolean = isPlain(table) || namesPath(table)

  /** Whether the text has no character of paths and patterns, and may be a table's name. */
  private def isPlain(table: String): Boolean = table.nonEmpty && !hasPathCharacter(table)

  /** Whether the text is a format and the quoted path of a table, as in ``delta.`/lake/events` ``. */
  private[location] def namesPath(table: String): Boolean =
    table.contains('`') &&
      Try(CatalystSqlParser.parseMultipartIdentifier(table)).toOption.exists {
        case Seq(format, path) => !hasPathCharacter(format) && hasPathCharacter(path)
        case _ => false
      }

  private def hasPathCharacter(text: String): Boolean =
    text.exists(c => c == '/' || c == ':' || TableFiles.isGlob(c))
}
