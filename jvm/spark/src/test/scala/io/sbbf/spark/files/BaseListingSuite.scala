package io.sbbf.spark.files

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources._

import io.sbbf.spark.testing.SparkSuite

class BaseListingSuite extends SparkSuite {

  private def table(name: String, from: Int, to: Int): String = {
    val rows = spark.range(from.toLong, to.toLong, 1, 2).selectExpr("id", "id % 2 AS day")
    rows.write.mode("append").partitionBy("day").parquet(path(name))
    path(name)
  }

  private def indexOf(path: String): InMemoryFileIndex =
    new InMemoryFileIndex(spark, Seq(new Path(path)), Map.empty, None)

  private def listed(index: FileIndex, filters: Seq[Expression] = Nil): BaseListing =
    BaseListing.of(index, Nil, filters)

  private def names(listing: BaseListing): Set[String] =
    listing.files.map(_.getPath.getName).toSet

  /** Returns the condition of a query on a table, resolved. */
  private def conditionOf(query: DataFrame): Expression =
    query.queryExecution.analyzed.collectFirst { case Filter(condition, _) => condition }.get

  test("an index in memory is listed once, and again after it was refreshed.") {
    val index = indexOf(table("once", 0, 10))
    val first = listed(index)
    assert(first.files.size == 4 && (listed(index) eq first))
    table("once", 10, 20)
    assert(listed(index) eq first)
    index.refresh()
    val second = listed(index)
    assert((second ne first) && second.files.size == 8 && (listed(index) eq second))
    assert(names(first).subsetOf(names(second)))
  }

  test("a new partition that a refresh finds is listed.") {
    val index = indexOf(table("partitions", 0, 10))
    assert(listed(index).files.size == 4)
    spark.range(3).write.parquet(s"${path("partitions")}/day=7")
    index.refresh()
    assert(listed(index).files.size > 4)
  }

  test("equal indexes that hold different files each list their own.") {
    val old = indexOf(table("equal", 0, 10))
    val before = listed(old)
    table("equal", 10, 20)
    val fresh = indexOf(path("equal"))
    val after = listed(fresh)
    assert(old == fresh && old.hashCode == fresh.hashCode)
    assert(before.files.size == 4 && after.files.size == 8)
    assert((listed(old) eq before) && (listed(fresh) eq after))
  }

  test("filters on partitions and on the files' own metadata are evaluated each time.") {
    val index = indexOf(table("filters", 0, 10))
    val all = listed(index)
    val rows = spark.read.parquet(path("filters"))
    val name = names(all).head
    val byName = rows.where(s"_metadata.file_name = '$name'").queryExecution.executedPlan
    val filters = byName.collectFirst { case scan: FileSourceScanExec => scan.dataFilters }.get
    assert(names(listed(index, filters)) == Set(name))
    val ofDay = BaseListing.of(index, Seq(conditionOf(rows.where("day = 1"))), Nil)
    assert(ofDay.files.nonEmpty && ofDay.files.size < all.files.size)
    assert(listed(index, Seq(conditionOf(rows.where("id = 1")))) eq all)
  }

  test("options that choose files hold for a listing and after a refresh.") {
    val folder = table("options", 0, 10)
    for ((options, perWrite) <- Seq(
        Map("pathGlobFilter" -> "part-00001*") -> 2,
        Map("recursiveFileLookup" -> "true") -> 4,
        Map("recursiveFileLookup" -> "true", "pathGlobFilter" -> "part-00001*") -> 2)) {
      val index = new InMemoryFileIndex(spark, Seq(new Path(folder)), options, None)
      def expected = index.listFiles(Nil, Nil).flatMap(_.files).map(_.fileStatus)
      val first = listed(index)
      assert(first.files == expected && first.files.size % perWrite == 0)
      table("options", 10, 20)
      index.refresh()
      val second = listed(index)
      assert(second.files == expected && second.files.size == first.files.size + perWrite)
    }
  }

  test("a conflict of partitions that a refresh finds is Spark's own error.") {
    val index = indexOf(table("conflict", 0, 10))
    listed(index)
    spark.range(3).write.parquet(s"${path("conflict")}/other=1/day=1")
    index.refresh()
    val error = intercept[Throwable](listed(index))
    assert(error.getMessage == intercept[Throwable](index.listFiles(Nil, Nil)).getMessage)
    assert(error.getMessage.contains("onflicting"))
  }

  test("an index of another class is listed each time.") {
    val index =
      new InMemoryFileIndex(spark, Seq(new Path(table("other", 0, 10))), Map.empty, None) {}
    assert(listed(index) ne listed(index))
  }

  test("a listing of some files has their directories only, in order.") {
    val listing = listed(indexOf(table("some", 0, 10)))
    val files = listing.files.indices
    for (some <- files.toSet.subsets()) {
      val sorted = some.toIndexedSeq.sorted
      val directories = listing.directoriesOf(sorted) { (i, file) =>
        assert(file.fileStatus == listing.files(i))
        file
      }
      assert(directories.flatMap(_.files).map(_.fileStatus) == sorted.map(listing.files(_)))
      assert(directories.forall(_.files.nonEmpty))
    }
    val none = listing.inPartitions(_ => false)
    assert(none.files.isEmpty && (listing.inPartitions(_ => true) eq listing))
    val one = listing.inPartitions(_.getInt(0) == 1)
    assert(one.files == listing.files.filter(_.getPath.getParent.getName == "day=1"))
  }

  test("a query that was planned before a refresh reads the files that the refresh found.") {
    val index = indexOf(table("late", 0, 10))
    val relation = HadoopFsRelation(
      index,
      index.partitionSchema,
      spark.read.parquet(path("late")).drop("day").schema,
      None,
      new parquet.ParquetFileFormat,
      Map.empty)(spark)
    val query = spark.baseRelationToDataFrame(relation).where("id % 10 = 3 AND id >= 3")
    assert(query.queryExecution.optimizedPlan.resolved)
    table("late", 10, 20)
    index.refresh()
    assert(query.collect().map(_.getLong(0)).toSet == Set(3L, 13L))
  }
}
