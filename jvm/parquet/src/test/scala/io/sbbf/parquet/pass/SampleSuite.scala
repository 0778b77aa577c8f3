package io.sbbf.parquet.pass

import scala.util.Random

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

class SampleSuite extends AnyFunSuite {

  private def listing(times: Seq[Int]): IndexedSeq[FileStatus] = times.zipWithIndex.map {
    case (time, i) => new FileStatus(1, false, 1, 1, time.toLong, new Path(s"/t/part-$i"))
  }.toIndexedSeq

  test("a sample has the requested number of distinct files, whatever their ages.") {
    val seed = 20261121L
    info(s"seed $seed")
    val random = new Random(seed)
    for (numFiles <- Seq(0, 1, 2, 3, 8, 33, 1000, 5000); size <- Seq(0, 1, 2, 3, 32, 2000)) {
      val sample = Sample.of(listing(random.shuffle((0 until numFiles).toList)), size)
      assert(sample.size == math.min(numFiles, size) && sample.distinct == sample)
      assert(sample.forall(i => i >= 0 && i < numFiles))
    }
  }

  test("a file in the middle of both the listing and the ages is chosen only once.") {
    assert(Sample.of(listing(0 until 8), 2).toSet == Set(4, 3))
  }

  test("a sample contains new files, wherever they are in the listing.") {
    // the newest quarter of the files is adjacent, in the middle
    for (numFiles <- Seq(1000, 20000)) {
      val isNew = (i: Int) => i >= 2 * numFiles / 5 && i < 13 * numFiles / 20
      val times = (0 until numFiles).map(i => if (isNew(i)) 5 * numFiles + i else i)
      val newest = Sample.of(listing(times), 32).count(isNew)
      assert(newest >= 6 && newest <= 10, s"$numFiles files")
    }
  }
}
