package io.sbbf.spark.append

import java.io.File
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.Eventually

import io.sbbf.parquet.model.FileVersion
import io.sbbf.spark.append.AddFiltersOutcome._
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.TableFiles

/** Tests what the job that adds filters refuses, reports and repeats. */
class AddFiltersJobSuite extends SparkSuite with ChangesFilters with Eventually {

  test("columns with the same dotted path are refused.") {
    spark
      .range(0, 100, 1, 1)
      .selectExpr("named_struct('b', id % 3) AS a", "id % 3 + 10 AS `a.b`")
      .write
      .parquet(path("dotted"))
    val Seq(outcome) = add(path("dotted"), "a.b")()
    assert(outcome.status == Refused && outcome.reason == "columns of the same name")
  }

  test("a task that runs again finds its work done.") {
    val table = writeEvents("again")
    val edits = FilterRequests.of(enable("key", "nothing") + ("table" -> table)).edits(1)
    val conf = spark.sessionState.newHadoopConf()
    val Seq(file) = new TableFiles(table, conf).data
    val planned = ListedFile(FileVersion.of(file)).planned(edits, conf)
    val found = planned.tasks.flatMap(_.filters(conf))
    assert(planned.writeFilters(found, conf).status == Done)
    val after = bytes(only(table))
    assert(planned.writeFilters(found, conf).status == Done)
    assert(planned.tasks.flatMap(_.filters(conf)).forall(_.isLeft)) // of another file
    assert(bytes(only(table)) == after)
    drop(table)
    assert(planned.writeFilters(found, conf).status == Failed)
  }

  test("a file that changes while its filters are built is not overwritten.") {
    val table = writeEvents("changing")
    val edits = FilterRequests.of(enable("key") + ("table" -> table)).edits(1)
    val conf = spark.sessionState.newHadoopConf()
    val Seq(file) = new TableFiles(table, conf).data
    val planned = ListedFile(FileVersion.of(file)).planned(edits, conf)
    val found = planned.tasks.flatMap(_.filters(conf))
    assert(found.forall(_.exists(_.isDefined)))
    val other = only(writeEvents("other", "id"))
    Files.copy(other.toPath, only(table).toPath, StandardCopyOption.REPLACE_EXISTING)
    only(table).setLastModified(file.getModificationTime + 1000)
    val outcome = planned.writeFilters(found, conf)
    assert(outcome.status == Failed && outcome.reason.contains("has changed meanwhile"))
    assert(bytes(only(table)) == bytes(other))
    assert(planned.tasks.flatMap(_.filters(conf)).forall(_.left.exists(_.contains("changed"))))
  }

  test("a file that gets other filters from another run meanwhile fails.") {
    for (replaces <- Seq(false, true)) {
      val table = writeEvents(s"raced-$replaces", if (replaces) "key" else "name")
      val request = enable("key") + ("table" -> table) + ("replace" -> replaces.toString)
      val edits = FilterRequests.of(request).edits(1)
      val conf = spark.sessionState.newHadoopConf()
      val Seq(file) = new TableFiles(table, conf).data
      val planned = ListedFile(FileVersion.of(file)).planned(edits, conf)
      assert(add(table, "id")().map(_.status) == Seq(Done))
      val found = planned.tasks.flatMap(_.filters(conf))
      assert(found.forall(_.isLeft))
      assert(planned.writeFilters(found, conf).status == Failed)
      if (replaces) { // also for a task that found too few values for any filter
        val fewer = planned.copy(plan = planned.plan.map(_.copy(chunks = Nil)))
        assert(fewer.writeFilters(Seq(Right(None)), conf).status == Failed)
      }
      assert(add(table, "key")("replace" -> replaces.toString).map(_.status) == Seq(Done))
      val done = planned.writeFilters(found, conf)
      assert(done.status == Done && done.filters == planned.todo.get.chunks.size)
    }
  }

  test("an invalid request fails before any file is changed.") {
    val table = writeEvents("wrong")
    val before = bytes(only(table))
    for ((options, expected) <- Seq(
        enable("kye") -> "'kye'",
        enable("st") -> "'st'",
        enable("key", "flag") -> "'flag' is optional boolean",
        (enable("key") + ("parquet.bloom.filter.fpp#key" -> "2")) -> "fpp#key must be between",
        (enable("key") + ("replace" -> "yes")) -> "replace must be true or false",
        (enable("key") + ("parquet.block.size" -> "1")) -> "'parquet.block.size' has no effect",
        (enable("key") + ("parquet.bloom.filter.fpp" -> "0.1")) -> "filter.fpp' has no effect",
        (enable("key") + ("parquet.bloom.filter.fpp#id" -> "0.1")) -> "fpp#id' has no effect",
        Map.empty[String, String] -> "name the columns"
      )) {
      val message =
        intercept[IllegalArgumentException](change(table, options.toSeq: _*)).getMessage
      assert(message.contains(expected), message)
    }
    val absent = intercept[IllegalArgumentException](add(path("absent"), "key")())
    assert(absent.getMessage.contains(path("absent")))
    assert(bytes(only(table)) == before)
  }

  test(
    "a table whose log records the length of its files is refused unless table formats are allowed.") {
    for ((kind, mark) <- Seq(
        "Delta" -> "_delta_log/0.json",
        "Hudi" -> ".hoodie/hoodie.properties",
        "Structured Streaming" -> "_spark_metadata/0",
        "Iceberg" -> "metadata/v1.metadata.json")) {
      val folder = path(s"$kind/tables/one")
      spark.range(0, 100, 1, 1).write.parquet(s"$folder/data/part=1")
      val log = new File(folder, mark).toPath
      Files.createDirectories(log.getParent)
      Files.write(log, Array[Byte](1))
      val file = only(s"$folder/data/part=1")
      val linked = Files.createDirectories(new File(path(s"linked to $kind")).toPath)
      Files.createSymbolicLink(linked.resolve(file.getName), file.toPath)
      val link = path(s"a link to $kind")
      Files.createSymbolicLink(new File(link).toPath, new File(s"$folder/data").toPath)
      for (within <- Seq(
          linked.toString,
          link,
          path(kind),
          s"$folder/data",
          s"$folder/data/part=1",
          s"$folder/data/part=*",
          s"$file",
          s"$folder/data/part=1/*.parquet")) {
        val refused = intercept[IllegalArgumentException](add(within, "id")())
        assert(refused.getMessage.contains(s"$kind table"))
      }
      assert(add(s"$folder/data", "id")("allow_table_formats" -> "true").forall(_.status == Done))
    }
  }

  test("files next to a table with a log are not refused.") {
    val folder = path("beside")
    spark.range(0, 100, 1, 1).write.parquet(folder)
    Files.createDirectories(new File(folder, "other/_delta_log").toPath)
    assert(add(folder, "id")().forall(_.status == Done))
  }

  test("files that cannot be changed do not prevent the filters of others.") {
    val table = writeEvents("mixed")
    spark.range(10).toDF("other").coalesce(1).write.mode("append").parquet(table)
    Files.write(new File(table, "no.parquet").toPath, "this is no file".getBytes)
    val outcomes = add(table, "key")().map(o => new File(o.file).getName -> o)
    val byStatus = outcomes.groupBy(_._2.status).map { case (status, some) =>
      status -> some.map(_._2.reason)
    }
    assert(byStatus(Done) == Seq(""))
    assert(byStatus(Unchanged) == Seq("has none of the columns"))
    assert(byStatus(Refused) == Seq("not a Parquet file"))
  }

  test("progress is reported as tasks end, and reaches the total at the end.") {
    val seen = new ConcurrentLinkedQueue[(Long, Long)]
    val listener = new AddFiltersJob.ProgressListener {
      override def onProgress(done: Long, all: Long): Unit = seen.add((done, all)): Unit
      override def isCancelled: Boolean = false
    }
    val table = writeEvents("progress")
    val request = FilterRequests.of(enable("key").toMap + ("table" -> table))
    val length = only(table).length
    val Seq(outcome) = new AddFiltersJob(spark, request, listener).run()
    val done = seen.asScala.toSeq.map(_._1)
    assert(seen.asScala.map(_._2).toSet == Set(outcome.bytesRead + length))
    assert(done == done.distinct.sorted, seen)
    assert(done.head == 0 && done.last == outcome.bytesRead + length)
  }

  test("progress is reported while tasks end, and never exceeds the total.") {
    val seen = new ConcurrentLinkedQueue[Long]
    val listener = new AddFiltersJob.ProgressListener {
      override def onProgress(done: Long, all: Long): Unit = seen.add(done): Unit
      override def isCancelled: Boolean = false
    }
    val progress = new AddFiltersProgress(spark.sparkContext, 100, listener)
    val done = progress.done
    progress.during {
      for (bytes <- Seq(20L, 20L, 40L)) { // four tasks each, the last ones too many
        spark.sparkContext.parallelize(1 to 4, 4).foreach(_ => done.add(bytes / 4))
        eventually(timeout(20.seconds))(assert(seen.asScala.last >= math.min(done.value, 80)))
      }
      spark.sparkContext.parallelize(1 to 4, 4).foreach(_ => done.add(20))
    }
    assert(seen.peek == 0 && seen.asScala.last == 100)
    assert(seen.asScala.toSeq == seen.asScala.toSeq.distinct.sorted && seen.size >= 5, seen)
  }

  test("a dry run names the files that cannot be read.") {
    val table = path("unreadable")
    spark.range(0, 3000, 1, 3).selectExpr("id AS key").write.parquet(table)
    val broken = filesIn(new File(table)).maxBy(_.length)
    val content = Files.readAllBytes(broken.toPath)
    java.util.Arrays.fill(content, 4, content.length / 2, 0.toByte)
    Files.write(broken.toPath, content)
    val outcomes = add(table, "key")("dry_run" -> "true").map(o => new File(o.file).getName -> o)
    val (failed, planned) = outcomes.partition(_._1 == broken.getName)
    assert(failed.map(_._2.status) == Seq(Failed) && failed.head._2.reason.nonEmpty)
    assert(planned.map(_._2.status) == Seq(Planned, Planned))
    assert(planned.forall(_._2.filterBytes > 0))
  }

  test("a dry run changes nothing and reports the planned change.") {
    val table = writeEvents("dry")
    val before = bytes(only(table))
    val Seq(planned) = add(table, "key", "name")("dry_run" -> "true")
    assert(bytes(only(table)) == before && names(table).forall(!_.contains(".sbbf-tmp")))
    assert(planned.status == Planned && planned.seconds > 0)
    val Seq(done) = add(table, "key", "name")()
    assert(planned.rowGroups == done.rowGroups && planned.filters == done.filters)
    assert(planned.bytesRead == done.bytesRead)
    // by a sample of one row group
    assert(
      planned.filterBytes > done.filterBytes / 2 && planned.filterBytes < done.filterBytes * 2)
  }
}
