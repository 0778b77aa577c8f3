package io.sbbf.spark.scan

import java.io.File
import java.net.URI

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types._

import io.sbbf.spark.testing.SparkSuite

/** Tests the index by itself: what it lists, the sizes it reports, and when it equals another. */
class PrunedFileIndexSuite extends SparkSuite {
  import IndexedFiles.{index, listed}

  private val id = AttributeReference("id", LongType)()

  // two files in each of two partitions, with 400 ids each in row groups of 100
  private lazy val table: String = {
    for (p <- 0 to 1) write(path("t"), p)
    path("t")
  }

  private def write(target: String, p: Int): Unit =
    spark
      .range(p * 800L, p * 800L + 800, 1, 2)
      .write
      .option("parquet.block.size", "1")
      .parquet(s"$target/p=$p")

  private def relation(of: String = table): HadoopFsRelation =
    spark.read.parquet(of).queryExecution.analyzed.collectLeaves().head match {
      case scan: LogicalRelation => scan.relation.asInstanceOf[HadoopFsRelation]
    }

  private def names(directories: Seq[PartitionDirectory]) = listed(directories).map(_._1)

  private def is(v: Long): Expression = EqualTo(id, Literal(v))
  private def in(vs: Long*): Expression = In(id, vs.map(Literal(_)))
  private val inP1 = EqualTo(AttributeReference("p", IntegerType)(), Literal(1))
  private val all = Seq("0/0", "0/1", "1/0", "1/1")

  // partition filters, data filters, and the files that are left
  private val listings: Seq[(Seq[Expression], Seq[Expression], Seq[String])] = Seq(
    (Nil, Seq(is(5)), Seq("0/0")),
    (Nil, Nil, all),
    (Nil, Seq(in(5, 1500)), Seq("0/0", "1/1")),
    (Nil, Seq(in(799, 800)), Seq("0/1", "1/0")),
    (Nil, Seq(is(5000)), Nil),
    (Nil, Seq(GreaterThanOrEqual(id, Literal(400L))), all.tail),
    (Nil, Seq(EqualTo(Abs(id), Literal(5L))), all),
    (Nil, Seq(inP1), all),
    (Seq(inP1), Nil, Seq("1/0", "1/1")),
    (Seq(inP1), Seq(is(5)), Nil),
    (Seq(Not(inP1)), Seq(in(5, 1500)), Seq("0/0"))
  )

  test("the listing has the files that the filters of this call select, and no others.") {
    val one = index(relation())
    for ((partitions, data, expected) <- listings)
      assert(names(one.listFiles(partitions, data)) == expected, s"$partitions, $data")
  }

  test("a file of which row groups are pruned is listed with its ranges, also with none.") {
    val both = GreaterThanOrEqual(id, Literal(800L))
    for ((preserveSplits, filter, expected) <- Seq(
        (false, in(5, 250, 1500), Seq("0/0" -> Some(2), "1/1" -> Some(1))),
        (false, both, Seq("1/0" -> None, "1/1" -> None)),
        (true, both, Seq("0/0" -> Some(0), "0/1" -> Some(0), "1/0" -> None, "1/1" -> None))
      )) {
      val one = index(relation(), preserveSplits)
      assert(listed(one.listFiles(Nil, Seq(filter))) == expected, filter)
      assert(listed(one.listFiles(Seq(inP1), Seq(filter))) == expected.filter(_._1 >= "1"))
      assert(listed(one.listFiles(Nil, Nil)) == all.map(_ -> None))
    }
  }

  test("sizes and input files are those of the base, and after a pass those that are left.") {
    val files = relation()
    val base = files.location
    def length(file: String) = new File(new URI(file)).length
    for (one <- Seq(index(files), index(files, preserveSplits = true))) {
      assert(one.sizeInBytes == base.sizeInBytes && one.sizeInBytes > 1)
      assert(one.inputFiles.toSeq == base.inputFiles.toSeq)
      one.listFiles(Nil, Seq(in(5, 1500)))
      assert(one.inputFiles.length == 2 && one.inputFiles.forall(base.inputFiles.contains(_)))
      assert(one.sizeInBytes > 1 && one.sizeInBytes < one.inputFiles.map(length).sum)
      one.listFiles(Seq(inP1), Nil)
      assert(one.inputFiles.length == 2 && one.inputFiles.forall(_.contains("/p=1/")))
      assert(one.sizeInBytes == one.inputFiles.map(length).sum)
      one.listFiles(Nil, Seq(is(5000)))
      assert(one.inputFiles.isEmpty && one.sizeInBytes == 1)
    }
  }

  test("a result is used again only for the same filters, files and settings.") {
    write(path("reused"), 0)
    val one = index(relation(path("reused")))
    def pass(filter: Expression) = {
      one.listFiles(Nil, Seq(filter))
      one.selection.get
    }
    val first = pass(is(5))
    val spent = one.metadataOpsTimeNs
    assert((pass(is(5)) eq first) && one.metadataOpsTimeNs == spent)
    assert(withConf("spark.sql.caseSensitive" -> "true")(pass(is(5))) ne first)
    val other = pass(is(6))
    assert((other ne first) && one.metadataOpsTimeNs.get > spent.get)
    new File(new URI(one.base.inputFiles.head)).setLastModified(1000000000000L)
    one.base.refresh()
    assert(pass(is(6)) ne other)
  }

  test("a refresh forgets the last result and finds new files.") {
    write(path("grows"), 0)
    val one = index(relation(path("grows")))
    assert(names(one.listFiles(Nil, Seq(is(1500)))).isEmpty && one.inputFiles.isEmpty)
    write(path("grows"), 1)
    one.refresh()
    assert(one.inputFiles.length == 4 && one.sizeInBytes == one.base.sizeInBytes)
    assert(names(one.listFiles(Nil, Seq(is(1500)))) == Seq("1/1"))
  }

  test("indexes equal each other, and so plans, if their files and splits are the same.") {
    val files = relation()
    def plan(index: FileIndex, v: Long): LogicalPlan = {
      val scan = LogicalRelation(files.copy(location = index)(files.sparkSession))
      Filter(EqualTo(scan.output.head, Literal(v)), scan)
    }
    def executed(plan: LogicalPlan): SparkPlan = spark.sessionState.planner.plan(plan).next()
    write(path("elsewhere"), 0)
    val one = index(files)
    one.listFiles(Nil, Seq(is(5)))
    for ((other, isEqual) <- Seq[(FileIndex, Boolean)](
        index(relation()) -> true,
        index(relation(), preserveSplits = true) -> false,
        index(relation(path("elsewhere"))) -> false,
        files.location -> false)) {
      assert((one == other) == isEqual && (other == one) == isEqual)
      assert(!isEqual || one.hashCode == other.hashCode)
      for (v <- Seq(5L, 6L)) {
        val isSame = isEqual && v == 5
        assert(plan(one, 5).sameResult(plan(other, v)) == isSame)
        assert(executed(plan(one, 5)).sameResult(executed(plan(other, v))) == isSame)
      }
    }
  }
}
