package io.sbbf.spark.index

import java.io.IOException

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{HashPartitioner, TaskContext}

import io.sbbf.index.build.{KeyPartBuilder, SegmentBuild}
import io.sbbf.index.format.StoredPart
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.hashes.FileHashes
import io.sbbf.parquet.model.{FileVersion, RecoverableError}
import io.sbbf.spark.table.{LakeTable, TableTasks}
import io.sbbf.spark.util.ClosureBytes.{pack, unpack}
import io.sbbf.spark.util.{ExecutorJar, TableFiles}

/**
 * Builds a segment of an index as Spark jobs: one reads footers, one reads keys, sorts them and
 * writes them. A task holds the keys of a row group, or 16 bytes for each of some 16 million entries
 * of a part.
 */
private[spark] final class IndexJob(session: SparkSession, request: IndexRequest)
    extends Logging {
  import IndexJob._

  private val indexed = new IndexedTable(request.table, session)
  private val target = indexed.target
  private val tasks = new TableTasks(session, indexed.hadoopConf, target, "index")
  // a table's format may record other times than the store
  private val checksVersions = target.lakeFormat.isEmpty

  // in tasks a lazy list would need the table
  private val columns: Vector[String] = request.columns
    .fold(refreshed)(target.columnNames(_, session.sessionState.conf.resolver))
    .toVector

  /** Returns the columns of the index that the table still has. */
  private def refreshed: Seq[String] = {
    val known = indexed.contents.columns
    val left = target match {
      case lake: LakeTable => known.filter(name => lake.columns.stored.exists(_.name == name))
      case _ => known
    }
    if (left.isEmpty)
      throw new IllegalArgumentException(
        s"${request.table} has no index of its columns: create one before it is refreshed")
    left
  }

  /**
   * Indexes the files that the index does not know yet, and returns what was done.
   *
   * @throws IllegalArgumentException if there are no files, none can be read, none has a named
   *   column, or its values cannot be indexed; nothing is written then
   * @throws IllegalStateException if executors do not have our classes
   */
  def run(): IndexOutcome = {
    ExecutorJar.require(session.sparkContext)
    val started = System.nanoTime
    if (indexed.files.isEmpty) throw new IllegalArgumentException(s"no files in ${target.name}")
    val contents = indexed.contents
    val isRebuild = request.columns.isEmpty && contents.isFragmented(indexed.files)
    val todo = if (isRebuild) indexed.files else contents.missing(indexed.files, columns)
    val outcome =
      if (todo.isEmpty) IndexOutcome.Nothing
      else build(todo, contents.unusable ++ (if (isRebuild) contents.all else Nil))
    if (!request.isDryRun) {
      IndexCache.shared.forget(indexed.place.index)
      sweep()
    }
    outcome.copy(seconds = (System.nanoTime - started) / 1e9)
  }

  /** The new segment counts even if old ones cannot be deleted; the next change tries it again. */
  private def sweep(): Unit =
    try indexed.contents.sweep(System.currentTimeMillis)
    catch {
      case e: IOException =>
        logWarning(s"Old segments of the index ${indexed.place.index} were not deleted", e)
    }

  private def build(todo: Seq[FileStatus], replaces: Seq[String]): IndexOutcome = {
    waitUntilSettled(todo)
    val (read, unread) = facts(todo)
    // new files may well be unreadable, or lack a column that others have
    if (request.columns.isDefined) {
      if (read.isEmpty)
        throw new IllegalArgumentException(s"no file could be read: ${unread.head}")
      refuseColumns(read)
    }
    if (read.isEmpty) IndexOutcome.Nothing.copy(skipped = unread.size, reason = unread.head)
    else {
      val build = new SegmentBuild(indexed.place, columns, read, indexed.hadoopConf)
      if (request.isDryRun) estimate(build, read, unread)
      else write(build, read, unread, replaces)
    }
  }

  /** Waits until a change of a file would also change its time, so that what is read of it counts. */
  private def waitUntilSettled(files: Seq[FileStatus]): Unit = {
    val settled = files.map(_.getModificationTime).max + FileVersion.SettlingMillis
    val left = settled - System.currentTimeMillis
    if (left > 0 && left <= FileVersion.SettlingMillis) Thread.sleep(left)
  }

  private def estimate(
      build: SegmentBuild,
      read: Seq[SegmentBuild.ReadFile],
      unread: Seq[String]): IndexOutcome = {
    val entries = columns.indices.map(c => read.map(_.facts.columns(c).values).sum)
    val bits = columns.indices.map(c => build.packings(c).bitsOfEntry * entries(c)).sum
    IndexOutcome(
      segment = None,
      files = read.size,
      skipped = unread.size,
      reason = unread.headOption.getOrElse(""),
      rowGroups = build.rowGroups,
      keys = entries.sum,
      entries = entries.sum,
      bytes = bits / 8 + read.size * BytesOfFile,
      seconds = 0
    )
  }

  private def write(
      build: SegmentBuild,
      read: IndexedSeq[SegmentBuild.ReadFile],
      unread: Seq[String],
      replaces: Seq[String]): IndexOutcome = {
    val (parts, failed) = writeKeys(build, read)
    val manifest = build.commit(parts, failed.keySet, replaces)
    val all = manifest.columns.flatMap(_.parts)
    IndexOutcome(
      segment = Some(manifest.id),
      files = read.size - failed.size,
      skipped = unread.size + failed.size,
      reason = (unread ++ failed.values).headOption.getOrElse(""),
      rowGroups = manifest.rowGroups,
      keys = all.map(_.keys).sum,
      entries = all.map(_.entries).sum,
      bytes = manifest.bytes,
      seconds = 0
    )
  }

  /** Returns the files that could be read, and why the others could not. */
  private def facts(files: Seq[FileStatus]): (IndexedSeq[SegmentBuild.ReadFile], Seq[String]) = {
    val (named, checked) = (columns, checksVersions)
    val found = tasks.map(files.map(target.taskFiles.serializable), "footers") { (file, table) =>
      val readAt = System.currentTimeMillis
      attempt(file) {
        val hashes = new FileHashes(file, table.conf, table.store, table.columns, checked)
        try hashes.facts(named) -> readAt
        finally hashes.close()
      }
    }
    val read = files.zip(found).collect { case (file, Right((facts, readAt))) =>
      SegmentBuild.ReadFile(file, facts, readAt)
    }
    (read.toIndexedSeq, found.flatMap(_.left.toOption))
  }

  /** Throws if no file has a column, or none has it in a type that can be indexed. */
  private def refuseColumns(read: Seq[SegmentBuild.ReadFile]): Unit = {
    val found = columns.indices.map(c => read.map(_.facts.columns(c)).filter(_.leaf >= 0))
    val missing = columns.indices.filter(found(_).isEmpty).map(columns)
    if (missing.nonEmpty) throw TableFiles.withoutColumns(request.table, missing)
    for (c <- columns.indices if found(c).forall(_.whyNot.isDefined))
      throw new IllegalArgumentException(
        s"column '${columns(c)}' of ${request.table} cannot be indexed: ${found(c).head.whyNot.get}")
  }

  /**
   * Writes the parts of all columns. Returns them by column, and why some files could not be read.
   * Keys of such a file that were read before its failure stay in the parts, where they count for
   * nothing.
   */
  private def writeKeys(
      build: SegmentBuild,
      read: IndexedSeq[SegmentBuild.ReadFile]): (Seq[Seq[StoredPart]], Map[Int, String]) = {
    val packings = build.packings.toVector
    val layout = new PartLayout(packings)
    val items = read.indices.map { n =>
      val status = target.taskFiles.serializable(read(n).status)
      new FileToIndex(
        n,
        status,
        build.firstRowGroup(n),
        read(n).facts.rowsOf.size,
        build.toRead(n))
    }
    val (checked, rowGroups, folder) = (checksVersions, build.rowGroups, build.folder.toString)
    val shared =
      session.sparkContext.broadcast(new SerializableConfiguration(indexed.hadoopConf))
    try {
      val found = tasks.run(items.map(pack(_)), "keys") { (some, table) =>
        some.flatMap(unpack[FileToIndex](_).runs(table, checked, layout))
      } {
        _.partitionBy(new HashPartitioner(layout.size)) // an Int is its own hash
          .mapPartitionsWithIndex { (n, values) =>
            val column = layout.columnOf(n)
            val name = s"keys-$column-${layout.partOf(n)}-${TaskContext.get().taskAttemptId()}"
            val path = new Path(folder, s"$name.parquet")
            val failures = new ArrayBuffer[Array[Byte]]
            val runs = values.map(_._2).flatMap {
              case run: Array[Long] => Some(run)
              case failure =>
                failures += failure.asInstanceOf[Array[Byte]]
                None
            }
            val part =
              new KeyPartBuilder(packings(column), rowGroups).write(
                runs,
                path,
                shared.value.value)
            failures.iterator ++ part.map(of => pack[Written](Right(column -> of)))
          }
          .collect()
          .toSeq
          .map(unpack[Written](_))
      }
      val parts = found.flatMap(_.toOption)
      (
        columns.indices.map(c => parts.collect { case (`c`, part) => part }),
        found.flatMap(_.left.toOption).map(f => f.number -> f.why).toMap)
    } finally shared.destroy()
  }
}

private[spark] object IndexJob {

  /** A file of keys with the number of its column, or a file of the table that was not read. */
  private[index] type Written = Either[Failure, (Int, StoredPart)]

  private[index] final case class Failure(number: Int, why: String)

  /** What a file takes in the table of files, about. */
  private final val BytesOfFile = 40L

  /** Returns the result of `work`, or why it failed. */
  private[index] def attempt[T](file: FileStatus)(work: => T): Either[String, T] =
    try Right(work)
    catch {
      case RecoverableError.OfFile(e) =>
        Left(s"${file.getPath}: ${RecoverableError.message(e)}")
    }
}
