package io.sbbf.spark.index

import java.io.IOException

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.index.build.SegmentBuild
import io.sbbf.index.format.{SegmentManifest, StoredPart}
import io.sbbf.index.maintain.RefreshPlan
import io.sbbf.index.search.IndexCache
import io.sbbf.index.zones.ZonePlan
import io.sbbf.parquet.model.{FileVersion, RecoverableError}
import io.sbbf.spark.index.zones.ZoneFilesJob
import io.sbbf.spark.table.TableTasks
import io.sbbf.spark.util.{ExecutorJar, TableFiles}

/**
 * Builds a segment of an index in two Spark jobs: one reads footers; one reads keys, from files or
 * from other segments, sorts them and writes them. A task holds the keys of a row group, or 16 bytes
 * for each of some 16 million entries of a part. Instead of keys, it may build filters of zones.
 *
 * @param of the columns of the segment
 */
private[index] final class IndexJob(
    session: SparkSession,
    request: IndexRequest,
    indexed: IndexedTable,
    of: SegmentColumns)
    extends Logging {
  import IndexJob._

  private val target = indexed.target
  private val tasks =
    new TableTasks(session, indexed.hadoopConf, target, "index", target.keys(ofColumns))
  // a table's format may record other times than the store
  private val checksVersions = target.lakeFormat.isEmpty

  private val columns: Vector[String] = of.names

  private def ofColumns: Seq[String] =
    columns.flatMap(KeyedColumn.parse(_).toOption).map(_.column).distinct

  /**
   * Indexes the files that the index does not know yet, and returns what was done. A refresh of the
   * whole table also merges segments.
   *
   * @throws IllegalArgumentException if there are no files or `where` is invalid, or, of a request
   *   with columns, if no file can be read, none has a column, or its values cannot be indexed;
   *   nothing is written then
   * @throws IllegalStateException if executors do not have our classes
   */
  def run(): IndexOutcome = {
    ExecutorJar.require(session.sparkContext)
    val started = System.nanoTime
    if (indexed.files.isEmpty) throw new IllegalArgumentException(s"no files in ${target.name}")
    val contents = indexed.contents
    val plan =
      if (request.where.isDefined)
        ofPartitions(contents.extension(indexed.files, columns, of.kind))
      else if (request.columns.isDefined || of.zones.isDefined)
        contents.extension(indexed.files, columns, of.kind)
      else contents.refresh(indexed.files, columns, indexed.hadoopConf)
    val outcome =
      if (plan.toRead.isEmpty && plan.toMerge.isEmpty) IndexOutcome.Nothing else build(plan)
    if (request.isDryRun) outcome
    else {
      IndexCache.shared.forget(indexed.place.index)
      sweep()
      outcome.copy(seconds = (System.nanoTime - started) / 1e9)
    }
  }

  /**
   * Returns a plan that reads only files of the partitions that the request names. It replaces no
   * segment, which may know files of others.
   */
  private def ofPartitions(plan: RefreshPlan): RefreshPlan = {
    val paths = target.filesWhere(request.where.get, session).map(_.getPath).toSet
    RefreshPlan(plan.toRead.filter(file => paths(file.getPath)), plan.toMerge, replaces = Nil)
  }

  /** The new segment counts even if old ones cannot be deleted; the next change tries it again. */
  private def sweep(): Unit =
    try indexed.contents.sweep(System.currentTimeMillis)
    catch {
      case e: IOException =>
        logWarning(s"Old segments of the index ${indexed.place.index} were not deleted", e)
    }

  private def build(plan: RefreshPlan): IndexOutcome = {
    waitUntilSettled(plan.toRead)
    val (read, unread) = facts(plan.toRead)
    // new files may well be unreadable, or lack a column that others have
    if (request.columns.isDefined && (read.nonEmpty || plan.toRead.size == indexed.files.size)) {
      if (read.isEmpty)
        throw new IllegalArgumentException(s"no file could be read: ${unread.head}")
      refuseColumns(read)
    }
    val counted = new KeyCounts(tasks, target.taskFiles).estimated(read, columns)
    if (read.isEmpty && plan.toMerge.isEmpty)
      IndexOutcome.Nothing.copy(skipped = unread.size, reason = unread.head)
    else {
      val keys = new KeysToIndex(columns, counted, plan.toMerge, indexed.contents)
      val sizes = if (of.zones.isDefined) Nil else keys.sizes
      val build =
        new SegmentBuild(
          indexed.place,
          columns,
          keys.files,
          sizes,
          indexed.hadoopConf,
          target.readAs)
      val zones = of.zones.map(new ZonePlan(_, columns.size, read.map(_.facts)))
      if (request.isDryRun) estimate(build, keys, zones, unread)
      else write(build, keys, zones, unread, plan.replaces)
    }
  }

  /** Waits until a change of a file would also change its time, so that what is read of it counts. */
  private def waitUntilSettled(files: Seq[FileStatus]): Unit = {
    val newest = files.map(_.getModificationTime).foldLeft(0L)(_ max _)
    val left = newest + FileVersion.SettlingMillis - System.currentTimeMillis
    if (left > 0 && left <= FileVersion.SettlingMillis) Thread.sleep(left)
  }

  private def estimate(
      build: SegmentBuild,
      keys: KeysToIndex,
      zones: Option[ZonePlan],
      unread: Seq[String]): IndexOutcome = {
    val entries = keys.expected
    val bytes = zones.fold(
      build.packings.zip(entries).map { case (packing, n) => packing.bitsOfEntry * n }.sum / 8)(
      _.bytes)
    val cores = session.sparkContext.defaultParallelism
    IndexOutcome(
      segment = None,
      files = keys.files.size,
      merged = keys.numMerged,
      skipped = unread.size,
      reason = unread.headOption.getOrElse(""),
      rowGroups = build.rowGroups,
      keys = if (zones.isDefined) 0 else entries.sum,
      entries = zones.fold(entries.sum)(_.numZones),
      bytes = bytes + keys.files.size * BytesOfFile,
      seconds =
        if (of.zones.exists(_.fromFilters)) 0
        else
          new BuildTime(tasks, target.taskFiles, cores)
            .seconds(keys.read, build.toRead(_).map(_._2), entries.sum)
    )
  }

  private def write(
      build: SegmentBuild,
      keys: KeysToIndex,
      zones: Option[ZonePlan],
      unread: Seq[String],
      replaces: Seq[String]): IndexOutcome = {
    val (manifest, failed) = committed(build, keys, zones, replaces)
    IndexOutcome(
      segment = Some(manifest.id),
      files = keys.files.size - failed.size,
      merged = keys.numMerged - failed.keys.count(keys.isMerged),
      skipped = unread.size + failed.size,
      reason = (unread ++ failed.values).headOption.getOrElse(""),
      rowGroups = manifest.rowGroups,
      keys = manifest.columns.flatMap(_.parts).map(_.keys).sum,
      entries = manifest.columns.map(_.entries).sum,
      bytes = manifest.bytes,
      seconds = 0
    )
  }

  /** Returns the new segment, and why some files could not be read. A failure leaves no files. */
  private def committed(
      build: SegmentBuild,
      keys: KeysToIndex,
      zones: Option[ZonePlan],
      replaces: Seq[String]): (SegmentManifest, Map[Int, String]) =
    try
      zones match {
        case Some(plan) =>
          val (stored, failed) =
            new ZoneFilesJob(session, tasks, indexed.hadoopConf, plan, checksVersions)
              .run(build, keys.read.map(f => target.taskFiles.serializable(f.status)))
          (build.commitZones(stored, failed.keySet, replaces), failed)
        case None =>
          val (parts, failed) =
            new KeyPartsJob(session, tasks, indexed.hadoopConf, checksVersions)
              .run(build, keys.suppliers(build, target.taskFiles))
          target.requireSameRead()
          (build.commit(parts, failed.keySet, replaces), failed)
      }
    catch {
      case e: Throwable =>
        build.discard()
        throw e
    }

  /** Returns the files that could be read, and why the others could not. */
  private def facts(files: Seq[FileStatus]): (IndexedSeq[ReadFile], Seq[String]) = {
    val (named, checked) = (columns, checksVersions)
    val found = tasks.map(files.map(target.taskFiles.serializable), "footers") { (file, table) =>
      val readAt = System.currentTimeMillis
      attempt(file.getPath.toString) {
        val hashes = table.keysOf(file, checked)
        try hashes.facts(named) -> readAt
        finally hashes.close()
      }
    }
    val read = files.zip(found).collect { case (file, Right((facts, readAt))) =>
      ReadFile(file, facts, readAt)
    }
    (read.toIndexedSeq, found.flatMap(_.left.toOption))
  }

  /** Throws if no file has a column, or none has it in a type that can be indexed. */
  private def refuseColumns(read: Seq[ReadFile]): Unit = {
    val found = columns.indices.map(c => read.map(_.facts.columns(c)).filter(_.leaf >= 0))
    val missing = columns.indices.filter(found(_).isEmpty).map(columns)
    if (missing.nonEmpty) throw TableFiles.withoutColumns(request.table, missing)
    for (c <- columns.indices if found(c).forall(_.whyNot.isDefined))
      throw new IllegalArgumentException(
        s"column '${columns(c)}' of ${request.table} cannot be indexed: ${found(c).head.whyNot.get}")
  }
}

private[index] object IndexJob {

  /** A file of keys with the number of its column, or files of the table that were not read. */
  private[index] type Written = Either[Failure, (Int, StoredPart)]

  /** @param numbers the files whose keys could not be read */
  private[index] final case class Failure(numbers: Array[Int], why: String)

  /** What a file takes in the table of files, about. */
  private final val BytesOfFile = 40L

  /** Returns the result of `work`, or why it failed. */
  private[index] def attempt[T](source: String)(work: => T): Either[String, T] =
    try Right(work)
    catch {
      case e: Throwable =>
        reasonOf(source, e) match {
          case Some(why) => Left(why)
          case None => throw e
        }
    }

  /** Returns why a file cannot be read; None if an error is not that of a file. */
  private[index] def reasonOf(source: String, e: Throwable): Option[String] = e match {
    case RecoverableError.OfFile(cause) => Some(s"$source: ${RecoverableError.message(cause)}")
    case _ => None
  }
}
