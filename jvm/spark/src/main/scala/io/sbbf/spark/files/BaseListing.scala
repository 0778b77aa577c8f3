package io.sbbf.spark.files

import java.util.{Collections, Map => JMap, WeakHashMap}

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

  /** Returns what it lists of some partitions. */
  def of(selectsPartition: InternalRow => Boolean): BaseListing =
    if (directories.forall(d => selectsPartition(d.values))) this
    else new BaseListing(directories.filter(d => selectsPartition(d.values)))

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

  /** A listing, and the state of the index that listed it. */
  private final class Known(val state: Seq[AnyRef], val listing: BaseListing)

  // equal indexes replace each other's listing; the state identifies whose it is
  private val latest: JMap[FileIndex, Known] =
    Collections.synchronizedMap(new WeakHashMap[FileIndex, Known])

  /**
   * Returns what `base` lists for these filters. A query lists its files when it is planned and when
   * it runs, and Spark tests each path again each time. So an index of Spark that holds all files in
   * memory is only listed again once it was refreshed.
   */
  def of(
      base: FileIndex,
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]): BaseListing = {
    def listed() = new BaseListing(base.listFiles(partitionFilters, dataFilters))
    val listsAll = partitionFilters.isEmpty && !dataFilters.exists(testsFiles)
    // taken before the files: if they are listed again meanwhile, the state is older
    val state = if (listsAll) SparkInternals.listingState(base) else None
    state.fold(listed()) { now =>
      val known = latest.get(base)
      if (known != null && areSame(known.state, now)) known.listing
      else {
        val listing = listed()
        latest.put(base, new Known(now, listing))
        listing
      }
    }
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
