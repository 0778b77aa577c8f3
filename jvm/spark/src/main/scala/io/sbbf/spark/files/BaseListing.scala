package io.sbbf.spark.files

import java.lang.ref.{SoftReference, WeakReference}

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceConstantMetadataAttribute}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.sbbf.SparkInternals

/** What an index of Spark lists: the files of all directories, with one number each. Immutable. */
private[spark] final class BaseListing private (directories: Seq[PartitionDirectory]) {
  private val entries: IndexedSeq[FileStatusWithMetadata] =
    directories.iterator.flatMap(_.files.iterator).toArray.toIndexedSeq

  /** The files of all directories, in their order. */
  val files: IndexedSeq[FileStatus] = entries.iterator.map(_.fileStatus).toArray.toIndexedSeq

  /** Returns the listing of the partitions that are selected. */
  def inPartitions(isSelected: InternalRow => Boolean): BaseListing = {
    val some = directories.filter(directory => isSelected(directory.values))
    if (some.size == directories.size) this else new BaseListing(some)
  }

  /**
   * Returns the directories that have some of the files, with only those.
   *
   * @param some ascending numbers of files
   * @param change returns what to list for a file
   */
  def directoriesOf(some: IndexedSeq[Int])(
      change: (Int, FileStatusWithMetadata) => FileStatusWithMetadata)
      : Seq[PartitionDirectory] = {
    val left = some.iterator.buffered
    var end = 0
    directories.flatMap { directory =>
      end += directory.files.size
      val kept = new ArrayBuffer[FileStatusWithMetadata]
      while (left.hasNext && left.head < end) {
        val file = left.next()
        kept += change(file, entries(file))
      }
      if (kept.isEmpty) None else Some(directory.copy(files = kept.toSeq))
    }
  }
}

private[spark] object BaseListing {

  /** The number of frames and tables whose listings are kept. */
  private final val MostListings = 16

  /**
   * A listing with the index that listed it, and the state of that index.
   *
   * @param base is compared by identity: indexes of the same folders are equal, whatever they list
   */
  private final class Known(
      val base: WeakReference[FileIndex],
      val state: Seq[AnyRef],
      val listing: BaseListing) {
    def isOf(index: FileIndex): Boolean = base.get eq index
    def isAlive: Boolean = base.get != null
  }

  // the statuses of a frame that is gone must not fill the heap
  @volatile private var latest = List.empty[SoftReference[Known]]

  /**
   * Returns what `base` lists for these filters. A query lists its files when it is planned and when
   * it runs, and Spark tests each path again each time. So an index of Spark that holds all files in
   * memory is only listed again once it was refreshed.
   */
  def of(
      base: FileIndex,
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): BaseListing = {
    val listsAll = partitionFilters.isEmpty && !dataFilters.exists(testsFiles)
    // taken before the files: if they are listed again meanwhile, the state is older
    val state = if (listsAll) SparkInternals.listingState(base) else None
    state.fold(new BaseListing(base.listFiles(partitionFilters, dataFilters))) { now =>
      latest
        .flatMap(held => Option(held.get))
        .find(known => known.isOf(base) && areSame(known.state, now))
        .fold(remembered(base, now))(_.listing)
    }
  }

  private def remembered(base: FileIndex, state: Seq[AnyRef]): BaseListing = {
    val listing = new BaseListing(base.listFiles(Nil, Nil))
    val known = new Known(new WeakReference(base), state, listing)
    val others =
      latest.filter(held => Option(held.get).exists(k => k.isAlive && !k.isOf(base)))
    latest = (new SoftReference(known) :: others).take(MostListings)
    listing
  }

  /** Returns whether a filter may leave out files by their own names, sizes or times. */
  private def testsFiles(filter: Expression): Boolean =
    filter.references.exists {
      case FileSourceConstantMetadataAttribute(_) => true
      case _ => false
    }

  private def areSame(a: Seq[AnyRef], b: Seq[AnyRef]): Boolean =
    a.size == b.size && a.zip(b).forall { case (one, other) => one eq other }
}
