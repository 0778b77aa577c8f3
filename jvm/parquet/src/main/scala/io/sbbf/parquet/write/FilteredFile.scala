package io.sbbf.parquet.write

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, OutputStream}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{Abortable, FSDataOutputStream, FileSystem, FilterFileSystem, Path}
import org.apache.hadoop.util.Progressable
import org.apache.parquet.format.Util
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.footer.FooterBuilder

/**
 * Adds bloom filters to a Parquet file while parquet-mr writes it.
 *
 * It holds back the page indexes and the footer, which parquet-mr writes after the last row
 * group. When the file is closed, it writes them with the filters. So the file is written once,
 * from front to back, as object stores require. On these stores no incomplete file is visible.
 *
 * One task uses it in this order: [[at]], [[start]], [[rowGroup]] for each row group and then
 * [[row]] for each of its rows, [[endOfRows]].
 *
 * @param onError receives the reason why a file gets no filters. The file is then written as
 *   parquet-mr wrote it.
 */
private[sbbf] final class FilteredFile(onError: Exception => Unit) {
  private var filters: FileFilters = _
  private var skippedWithDictionary = Set.empty[Int]
  private var output: Output = _

  /**
   * Returns the path that parquet-mr has to write to. Its file system is a wrapper of `path`'s
   * own.
   */
  def at(path: Path): Path = new Path(path.toUri) {
    override def getFileSystem(conf: Configuration): FileSystem =
      new WrappedFileSystem(path.getFileSystem(conf))
  }

  /** Sets the schema of the file and the filters that it gets. */
  def start(schema: MessageType, requests: Seq[FilterRequest]): Unit = {
    filters = new FileFilters(schema, requests)
    skippedWithDictionary = requests.filterNot(_.withDictionary).map(_.column).toSet
  }

  /** Returns the consumer to write a row group with. It passes everything to `consumer`. */
  def rowGroup(consumer: RecordConsumer): RecordConsumer = filters.begin(consumer)

  /** Counts a row of the row group. */
  def row(): Unit = filters.row()

  /** Ends the rows. The caller has written all row groups, and nothing after them. */
  def endOfRows(): Unit =
    if (output != null) output.hold()
    else onError(new IOException("parquet-mr created the file by an unsupported method"))

  private final class WrappedFileSystem(store: FileSystem) extends FilterFileSystem(store) {
    override def create(
        file: Path,
        permission: FsPermission,
        overwrite: Boolean,
        bufferSize: Int,
        replication: Short,
        blockSize: Long,
        progress: Progressable): FSDataOutputStream = {
      output = new Output(
        super
          .create(file, permission, overwrite, bufferSize, replication, blockSize, progress))
      new FSDataOutputStream(output, null)
    }
  }

  private final class Output(file: FSDataOutputStream) extends OutputStream {
    private var held: ByteArrayOutputStream = _
    private var out: OutputStream = file
    private var isClosed = false

    def hold(): Unit = {
      held = new ByteArrayOutputStream
      out = held
    }

    override def write(byte: Int): Unit = out.write(byte)
    override def write(bytes: Array[Byte], from: Int, length: Int): Unit =
      out.write(bytes, from, length)
    override def flush(): Unit = out.flush()

    override def close(): Unit = if (!isClosed) {
      isClosed = true
      try if (held != null) pieces(held.toByteArray).foreach(file.write)
      catch {
        case e: Throwable =>
          giveUp(e)
          throw e
      }
      file.close()
    }

    /** Aborts the stream if possible, because closing it may publish an incomplete file. */
    private def giveUp(why: Throwable): Unit =
      try
        file.getWrappedStream match {
          case _: Abortable => file.abort(): Unit
          case _ => file.close()
        }
      catch { case NonFatal(also) => if (also ne why) why.addSuppressed(also) }

    private def pieces(tail: Array[Byte]): Seq[Array[Byte]] =
      try FooterRewriter.pieces(tail, file.getPos, wanted(tail, filters.result()))
      catch {
        case NonFatal(e: Exception) =>
          onError(e)
          Seq(tail)
      }

    private def wanted(tail: Array[Byte], found: Seq[ChunkFilter]): Seq[ChunkFilter] =
      if (skippedWithDictionary.isEmpty) found
      else {
        val footer = new ByteArrayInputStream(FooterRewriter.footerOf(tail))
        val rowGroups = Util.readFileMetaData(footer).getRow_groups
        found.filterNot { filter =>
          skippedWithDictionary.contains(filter.column) && FooterBuilder.isAllDictionary(
            rowGroups.get(filter.rowGroup).getColumns.get(filter.column).getMeta_data)
        }
      }
  }
}
