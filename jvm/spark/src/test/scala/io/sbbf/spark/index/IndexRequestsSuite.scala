package io.sbbf.spark.index

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.testing.Faults

/** Counts what planning requests from the store, with an index and without one. */
class IndexRequestsSuite extends FaultyTables {

  /** Returns the requests of `body`: listings, opens and statuses. */
  private def requests(body: => Any): Seq[String] = {
    val taken = new ConcurrentLinkedQueue[String]
    val counting = new Faults { besides = (what: String) => { taken.add(what); () } }
    Faults.during(counting)(body)
    taken.toArray(Array.empty[String]).toSeq
  }

  private def plan(query: DataFrame): Unit = {
    query.queryExecution.optimizedPlan
    ()
  }

  private def opened(requests: Seq[String]): Seq[String] =
    requests.filter(_.startsWith("open ")).map(_.stripPrefix("open "))

  private def isKeys(file: String): Boolean = file.startsWith("_keys-")

  private def table(name: String): Table = {
    val made = new Table(name)
    (0 until 4).foreach(n => made.add(n * RowsOfFile.toLong))
    made
  }

  test("a table without an index costs one more request in 30 seconds") {
    val bare = table("bare")
    def lookUp(): Unit = (0 until 5).foreach(n => plan(bare.where(key(n * 100L))))
    lookUp() // reads the footers
    val without = withConf("spark.sbbf.index.enabled" -> "false")(requests(lookUp()))
    bare.forget()
    val first = requests(lookUp())
    // a disk looks for the folder by its status
    assert(first.diff(without) == Seq("find _sbbf", "status"))
    assert(requests(lookUp()).diff(without).isEmpty)
  }

  test(
    "a search for words in a table without an index costs one request in 30 seconds, and no file") {
    val bare = table("wordless")
    def search(): Unit = (0 until 5).foreach(n => plan(bare.where(s"name LIKE '% word$n %'")))
    search()
    val without = withConf("spark.sbbf.index.enabled" -> "false")(requests(search()))
    bare.forget()
    assert(requests(search()).diff(without) == Seq("find _sbbf", "status"))
    assert(requests(search()).diff(without).isEmpty && opened(without).isEmpty)
  }

  test("a search for words reads only manifests of an index without words") {
    val plain = table("plain")
    plain.create("name")
    val taken = requests(plan(plain.where("name LIKE '% word %'")))
    assert(opened(taken) == Seq("_segment.json"))
    plain.create("tokens(name)")
    assert(plain.ids("name LIKE '% word %'").isEmpty)
    val warm = requests(assert(plain.pruned("name LIKE '% words %'").keptFiles == 0))
    assert(opened(warm).filterNot(isKeys).isEmpty)
  }

  test("a lookup that an index covers opens no file of the table but that of its key") {
    val indexed = table("indexed")
    indexed.create("key")
    val absent = requests(assert(indexed.ids("key = 5").isEmpty))
    val (keys, others) = opened(absent).partition(isKeys)
    assert(keys.size <= 2 && others.toSet == Set("_segment.json", "_files.parquet"))
    assert(absent.count(_ == "list _sbbf") == 1)
    for ((id, file) <- Seq(3L -> "0.parquet", 605L -> "600.parquet")) {
      val found = requests(plan(indexed.where(key(id))))
      val (keys, others) = opened(found).partition(isKeys)
      assert(keys.size <= 2 && others == Seq(file))
      assert(!found.contains("list _sbbf"))
    }
  }
}
