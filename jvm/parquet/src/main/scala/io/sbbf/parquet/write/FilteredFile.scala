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
 * A Parquet file that parquet-mr writes and that gets bloom filters: what parquet-mr writes behind
 * the last row group, page indexes and footer, is held back and comes with the filters in it, as
 * the file is closed. So the file is written once, from front to back, as object stores want it,
 * and there is no file before all of it is there. One task uses it, in this order: [[at]],
 * [[start]], [[rowGroup]] for each and then [[row]] for each of its rows, [[endOfRows]].
 *
 * @param onTrouble is told why a file gets no filters, which is written as parquet-mr wrote it then
 */
private[sbbf] final class FilteredFile(onTrouble: Exception => Unit) {
  private var filters: FileFilters = _
  private var notBesideDictionary = Set.empty[Int]
  private var output: Output = _

  /** The path that parquet-mr is to write to: its file system is this one's own. */
  def at(path: Path): Path = new Path(path.toUri) {
    override def getFileSystem(conf: Configuration): FileSystem =
      new Watched(path.getFileSystem(conf))
  }

  /** The schema of the file, and the filters that it is to have. */
  def start(schema: MessageType, requests: Seq[FilterRequest]): Unit = {
    filters = new FileFilters(schema, requests)
    notBesideDictionary = requests.filterNot(_.withDictionary).map(_.column).toSet
  }

  /** What is to write a row group, in place of `consumer`, which is handed all of it. */
  def rowGroup(consumer: RecordConsumer): RecordConsumer = filters.begin(consumer)

  /** A row comes to the row group. */
  def row(): Unit = filters.row()

  /** All row groups have been written, and nothing else. */
  def endOfRows(): Unit =
    if (output != null) output.hold()
    else onTrouble(new IOException("the file was not created as files are"))

  private final class Watched(stock: FileSystem) extends FilterFileSystem(stock) {
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

  private final class Output(stock: FSDataOutputStream) extends OutputStream {
    private var held: ByteArrayOutputStream = _
    private var out: OutputStream = stock
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
      try if (held != null) pieces(held.toByteArray).foreach(stock.write)
      catch {
        case e: Throwable =>
          giveUp(e)
          throw e
      }
      stock.close()
    }

    /** Where closing shows a file, none is to be seen of which a part is missing. */
    private def giveUp(why: Throwable): Unit =
      try
        stock.getWrappedStream match {
          case _: Abortable => stock.abort(): Unit
          case _ => stock.close()
        }
      catch { case NonFatal(also) => if (also ne why) why.addSuppressed(also) }

    private def pieces(tail: Array[Byte]): Seq[Array[Byte]] =
      try FooterRewriter.pieces(tail, stock.getPos, wanted(tail, filters.result()))
      catch {
        case NonFatal(e: Exception) =>
          onTrouble(e)
          Seq(tail)
      }

    private def wanted(tail: Array[Byte], found: Seq[ChunkFilter]): Seq[ChunkFilter] =
      if (notBesideDictionary.isEmpty) found
      else {
        val footer = new ByteArrayInputStream(FooterRewriter.footerOf(tail))
        val rowGroups = Util.readFileMetaData(footer).getRow_groups
        found.filterNot { filter =>
          notBesideDictionary.contains(filter.column) && FooterBuilder.isAllDictionary(
            rowGroups.get(filter.rowGroup).getColumns.get(filter.column).getMeta_data)
        }
      }
  }
}
