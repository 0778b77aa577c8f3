package io.sbbf.index.search

import java.io.EOFException
import java.nio.file.{Files, Paths}

import scala.collection.mutable
import scala.util.{Random, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.index.format.{CheckedFile, DamagedIndex, KeyPartWriter, StoredPart}
import io.sbbf.parquet.testing.TestFiles

/** Compares lookups in files of keys with those in a map. */
class KeyPartSuite extends AnyFunSuite {
  private val conf = new Configuration(false)
  private val random = new Random(TestFiles.seed())

  private def written(rowGroupsOf: Map[Long, Seq[Int]]): (Path, StoredPart) = {
    val file = TestFiles.fresh()
    Files.delete(file)
    val path = new Path(file.toUri)
    val writer = new KeyPartWriter(new CheckedFile.Output(path, conf))
    rowGroupsOf.toSeq.sortBy(_._1).foreach { case (key, groups) =>
      writer.add(key, groups.toArray, 0, groups.size)
    }
    (path, writer.write(path.getName))
  }

  /** Returns the row groups of all of some keys. */
  private def found(
      part: KeyPart,
      keys: Array[Long],
      reads: ReadCounter = new ReadCounter): Seq[Int] = {
    val found = mutable.ArrayBuffer.empty[Int]
    part.find(keys, conf, reads)(found += _)
    found.sorted.toSeq
  }

  private def all(of: Map[Long, Seq[Int]], keys: Iterable[Long]): Seq[Int] =
    keys.toSeq.flatMap(of.getOrElse(_, Nil)).sorted

  private def map(keys: Int, groups: => Int, most: Long): Map[Long, Seq[Int]] =
    Seq
      .fill(keys)((random.nextDouble() * most).toLong)
      .distinct
      .map(_ -> Seq.fill(groups)(random.nextInt(40000)).distinct.sorted)
      .toMap

  test("a file of keys returns the row groups of each of its keys, and none of others") {
    for ((keys, groups, most) <- Seq[(Int, () => Int, Long)](
        (1, () => 1, 1L),
        (4096, () => 1, 1L << 40),
        (20000, () => 1 + random.nextInt(3), 1L << 30),
        (300, () => 1 + random.nextInt(2000), 1L << 39))) {
      val expected = map(keys, groups(), most)
      val (path, stored) = written(expected)
      assert(stored.keys == expected.size && stored.entries == expected.values.map(_.size).sum)
      assert(stored.firstKey == expected.keys.min && stored.lastKey == expected.keys.max)
      assert(stored.bytes == Files.size(Paths.get(path.toUri)))
      val part = KeyPart.open(stored, path.getParent, conf)
      assert(found(part, expected.keys.toArray.sorted) == all(expected, expected.keys))
      for (key <- expected.keys.take(20)) assert(found(part, Array(key)) == expected(key))
      for (_ <- 0 until 20) {
        val some = (expected.keys.toSeq ++ Seq.fill(5)((random.nextDouble() * most).toLong))
          .filter(_ => random.nextInt(keys / 3 + 1) == 0)
          .distinct
        assert(found(part, some.sorted.toArray) == all(expected, some))
      }
    }
  }

  test("a present key reads one page of each column, and an absent key one page of keys") {
    val expected = map(50000, 1, 1L << 40)
    val (path, stored) = written(expected)
    val part = KeyPart.open(stored, path.getParent, conf)
    val present = expected.keys.toArray.apply(7)
    val absent =
      Iterator.continually(random.nextInt().toLong & 0xffffff).find(!expected.contains(_))
    for ((key, pages) <- Seq((present, 2), (absent.get.max(stored.firstKey + 1), 1))) {
      val reads = new ReadCounter
      found(part, Array(key), reads)
      assert(reads.total(1).pages == pages, key)
    }
  }

  test("a damaged file of keys fails, or answers as before") {
    val expected = map(9000, 2, 1L << 40)
    val (path, stored) = written(expected)
    val file = Paths.get(path.toUri)
    val bytes = Files.readAllBytes(file)
    val keys = expected.keys.toArray.sorted
    var failed = 0
    for (_ <- 0 until 1000 / TestFiles.stride) {
      val at = random.nextInt(bytes.length)
      val copy = TestFiles.fresh()
      val damaged = bytes.clone()
      damaged(at) = (damaged(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(copy, damaged)
      val answer = Try {
        val part = stored.copy(name = copy.getFileName.toString)
        found(KeyPart.open(part, new Path(copy.getParent.toUri), conf), keys)
      }
      answer.failed.foreach(e => assert(e.isInstanceOf[DamagedIndex], s"byte $at: $e"))
      answer.foreach(got => assert(got == all(expected, keys), s"byte $at"))
      failed += answer.failed.toOption.size
      Files.delete(copy)
    }
    assert(failed > 100 / TestFiles.stride)
  }

  test("a file of keys that ends early fails") {
    val (path, stored) = written(map(9000, 2, 1L << 40))
    val file = Paths.get(path.toUri)
    Files.write(file, Files.readAllBytes(file).take(stored.bytes.toInt / 2))
    intercept[EOFException](KeyPart.open(stored, path.getParent, conf))
  }
}
