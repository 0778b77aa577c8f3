package io.sbbf.spark.append

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import scala.util.Random

import com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem

import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.testing.{
  Faults,
  FaultyFileSystem,
  FaultyLocalFileSystem,
  FaultyObjectStore,
  TestFiles
}
import io.sbbf.spark.append.AddFiltersOutcome.{Done, Failed}
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.TableFiles
import io.sbbf.spark.write.{WrittenFile, WrittenFiles}

/**
 * Whatever step of adding filters fails, each file is the old one or the new one, and the next run
 * completes the work.
 */
class AddFiltersFaultsSuite extends SparkSuite with WrittenFiles {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted ++ Map(
    "spark.hadoop.fs.file.impl.disable.cache" -> "true", // of suites before this
    "spark.hadoop.fs.file.impl" -> classOf[FaultyLocalFileSystem].getName,
    "spark.hadoop.fs.s3a.impl" -> classOf[FaultyObjectStore].getName
  )

  private def request(to: String): AddFiltersRequest =
    FilterRequests.of(enable("key") + ("table" -> to))

  private def add(to: String): Seq[AddFiltersOutcome] =
    new AddFiltersJob(spark, request(to)).run()

  /** Adds filters as the tasks of a job with many files do. */
  private def addByFile(to: String): Seq[AddFiltersOutcome] = {
    val conf = spark.sessionState.newHadoopConf()
    new TableFiles(to, conf).data.map { file =>
      ListedFile(FileVersion.of(file)).planned(request(to).edits(1), conf).addFilters(conf)
    }
  }

  private def content(file: File): Seq[Byte] = Files.readAllBytes(file.toPath).toSeq

  /** The steps on a file in each store, each of which may fail. */
  private val steps = Map(
    "file" -> Set(
      "create",
      "write",
      "hsync",
      "close",
      "temporary",
      "checksums",
      "status",
      "times",
      "permission",
      "delete"),
    "s3a" -> Set("create", "write", "put", "answer", "status")
  )

  for {
    scheme <- steps.keys
    (way, run) <- Seq[(String, String => Seq[AddFiltersOutcome])](
      "row group" -> add,
      "file" -> addByFile)
    (fault, faultAt) <- Seq[(String, Int => Faults)](
      "step that fails" -> ((n: Int) => new Faults { failsAt = n }),
      "step at which the process dies" -> ((n: Int) => new Faults { diesAt = n }))
    if way == "file" || fault == "step that fails"
  }
    test(s"no $fault loses or truncates a file of $scheme:, by $way.") {
      val pristine = path(s"pristine-$scheme-$way-$fault")
      events.select("id", "key").coalesce(1).write.parquet(pristine)
      val Seq(original) = filesIn(new File(pristine))
      val Seq(sums) = new File(pristine).listFiles
        .filter(f => f.getName.endsWith(".crc") && f.getName.contains(original.getName))
        .toSeq
      val old = content(original)
      var n = 1 + new Random(TestFiles.seed()).nextInt(TestFiles.stride)
      var reached = true
      var taken = Set.empty[String]
      while (reached) {
        val folder = new File(path(s"$scheme-$way-$fault-$n"))
        folder.mkdirs()
        val file = new File(folder, original.getName)
        Files.copy(original.toPath, file.toPath)
        if (scheme == "file") Files.copy(sums.toPath, new File(folder, sums.getName).toPath)
        val faults = faultAt(n)
        val outcome =
          try Faults.during(faults)(run(s"$scheme:$folder").headOption)
          catch { case _: Exception => None } // before any file is touched
        reached = faults.happened
        taken ++= faults.steps
        // a process that died reports no outcome
        if (content(file) != old) assertExact(new WrittenFile(file), "key")
        else assert(!outcome.exists(_.status == Done), s"step $n: $outcome")
        assert(spark.read.parquet(s"file:$folder").collect().distinct.length == 4000, s"step $n")
        assert(add(s"$scheme:$folder").size == 1)
        assertExact(new WrittenFile(file), "key")
        assert(content(file).startsWith(old))
        assert(spark.read.parquet(s"file:$folder").collect().distinct.length == 4000, s"step $n")
        val rest = folder.list.toSet - file.getName
        assert(rest.isEmpty, s"step $n")
        n += TestFiles.stride
      }
      info(s"$n steps")
      assert(taken == steps(scheme))
    }

  for (scheme <- Seq("file", "s3a"))
    test(s"a file of $scheme: that changes while its copy is written is not replaced.") {
      val Seq(table, others) = Seq("changing", "others").map(name => path(s"$name-$scheme"))
      events.select("id", "key").coalesce(1).write.parquet(table)
      events.select("id").coalesce(1).write.parquet(others)
      val Seq(file, other) = Seq(table, others).map(folder => filesIn(new File(folder)).head)
      val changing = new Faults {
        besides = (what: String) =>
          if (what == "write" && content(file) != content(other)) {
            Files.copy(other.toPath, file.toPath, StandardCopyOption.REPLACE_EXISTING)
            file.setLastModified(file.lastModified + 1000)
            ()
          }
      }
      val Seq(outcome) = Faults.during(changing)(addByFile(s"$scheme:$table"))
      assert(outcome.status == Failed && outcome.reason.contains("has changed meanwhile"))
      assert(content(file) == content(other))
    }

  for (scheme <- Seq("file", "s3a"))
    test(
      s"a task that is killed while it copies a file of $scheme: leaves nothing of the copy.") {
      val table = path(s"killed-$scheme")
      events.select("key").coalesce(1).write.parquet(table)
      val before = new File(table).list.toSet
      val task = Thread.currentThread
      val killing = new Faults {
        besides = (what: String) =>
          if (what == "write") {
            task.interrupt()
            Thread.sleep(60000) // until this thread is interrupted as well
          }
      }
      Faults.during(killing)(intercept[InterruptedException](addByFile(s"$scheme:$table")))
      assert(new File(table).list.toSet == before)
      assert(addByFile(s"$scheme:$table").map(_.status) == Seq(Done))
    }

  test("a new file that cannot replace the old one leaves the old one.") {
    val table = new File(path("swap"))
    events.select("id", "key").coalesce(1).write.parquet(table.getPath)
    val Seq(file) = filesIn(table)
    val old = content(file)
    val sums = new File(table, s".${file.getName}.crc")
    val summed = content(sums)
    var gone = Seq.empty[File]
    def isSwap = Thread.currentThread.getStackTrace.exists(_.getMethodName == "replaceBy")
    val swapping = new Faults {
      besides = (_: String) =>
        if (gone.isEmpty && isSwap) {
          gone = table.listFiles.filter(_.getName.endsWith(".sbbf-tmp")).toSeq
          gone.foreach { next =>
            next.delete()
            next.mkdir() // a folder cannot replace a file
          }
        }
    }
    val outcomes = Faults.during(swapping)(addByFile(s"file:$table"))
    assert(gone.size == 1)
    assert(outcomes.map(_.status) == Seq(AddFiltersOutcome.Failed))
    assert(content(file) == old && content(sums) == summed)
    assert(spark.read.parquet(s"file:$table").collect().distinct.length == 4000)
    assert(addByFile(s"file:$table").map(_.status) == Seq(Done))
    assertExact(new WrittenFile(file), "key")
  }

  test("nobody else can read a new file before it has its owner and its permissions.") {
    val table = path("rights")
    events.select("key").coalesce(1).write.parquet(table)
    val faults = new Faults
    assert(Faults.during(faults)(add(s"file:$table")).map(_.status) == Seq(Done))
    assert(faults.rights.toShort == Integer.parseInt("600", 8))
  }

  test("a put that cannot be aborted does not begin if building the filters fails.") {
    val table = new File(path("puts"))
    events
      .select("key")
      .coalesce(1)
      .write
      .option("parquet.block.size", 8 * 1024)
      .parquet(table.getPath)
    val Seq(file) = filesIn(table)
    assert(new WrittenFile(file).numRowGroups > 2)
    val damaged = Files.readAllBytes(file.toPath)
    // pages of later row groups: the first one gets its filter before anything is written
    java.util.Arrays.fill(damaged, damaged.length * 2 / 5, damaged.length * 4 / 5, 0.toByte)
    Files.write(file.toPath, damaged)
    val faults = new Faults
    withConf("fs.gs.impl" -> classOf[GoogleHadoopFileSystem].getName) {
      val outcomes = Faults.during(faults)(addByFile(s"gs:$table"))
      assert(outcomes.map(_.status) == Seq(AddFiltersOutcome.Failed))
    }
    assert(!faults.steps.contains("create"))
    assert(content(file) == damaged.toSeq)
  }

  test("a store that cannot replace a file atomically is refused.") {
    val table = path("elsewhere")
    events.select("key").coalesce(1).write.parquet(table)
    withConf("fs.strange.impl" -> classOf[FaultyFileSystem].getName) {
      val Seq(outcome) = add(s"strange:$table")
      assert(outcome.status == AddFiltersOutcome.Refused && outcome.reason.contains("'strange'"))
    }
  }
}
