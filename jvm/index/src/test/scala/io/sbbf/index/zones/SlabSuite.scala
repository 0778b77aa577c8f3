package io.sbbf.index.zones

import java.nio.file.{Files, Path => JPath, Paths}
import java.util.Arrays

import scala.collection.mutable
import scala.util.{Random, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.bloom.{BitSlices, FilterSizing, SplitBlockBloomFilter, XxHash64}
import io.sbbf.index.format.StoredZones
import io.sbbf.parquet.testing.{Faults, FaultyFileSystem, TestFiles}

/** Compares searches in slabs with the filters that they were made of. */
class SlabSuite extends AnyFunSuite {
  private val conf = new Configuration(false)
  private val random = new Random(TestFiles.seed())

  private def written(filters: Seq[Array[Byte]], layout: SlabLayout): (Path, StoredZones.Slab) = {
    val place = new Path(TestFiles.folder().toUri)
    val parts = (0 until layout.numParts).map { n =>
      val writer = new SlabPartWriter(layout, n)
      filters.zipWithIndex.foreach { case (filter, i) =>
        val from = n * layout.bytesOfPiece
        writer.add(i, Arrays.copyOfRange(filter, from, from + layout.bytesOfPiece))
      }
      writer.write(new Path(place, s"_slab-$n.parquet"), conf)
    }
    (place, StoredZones.Slab(layout.filterBytes, layout.filters, parts))
  }

  private def filterOf(hashes: Seq[Long], bytes: Int): Array[Byte] = {
    val filter = new Array[Byte](bytes)
    hashes.foreach(SplitBlockBloomFilter.insert(filter, _))
    filter
  }

  private def found(
      slab: StoredZones.Slab,
      folder: Path,
      hashes: Array[Long],
      conf: Configuration = conf): (Seq[Int], Int) = {
    val filters = mutable.ArrayBuffer.empty[Int]
    var slices = 0
    new SlabSearch(slab, folder).find(hashes, conf, (n, _) => slices += n)(filters += _)
    (filters.toSeq, slices)
  }

  private def local(path: Path): JPath = Paths.get(path.toUri)

  test("a slab answers for each hash as its filters do, whatever their number and size") {
    for ((count, bytes, keys) <- Seq(
        (1, 32, 5),
        (7, 64, 10),
        (8, 32, 9),
        (65, 1024, 300),
        (100, 4096, 2000))) {
      val filters = Seq.fill(count)(filterOf(Seq.fill(keys)(random.nextLong()), bytes))
      val (place, slab) = written(filters, SlabLayout(bytes, count))
      for (_ <- 0 until 200) {
        val hashes = Array.fill(1 + random.nextInt(3))(random.nextLong())
        val expected = filters.indices.filter(n =>
          hashes.exists(SplitBlockBloomFilter.mightContain(filters(n), _)))
        assert(found(slab, place, hashes)._1 == expected, s"$count filters of $bytes bytes")
      }
    }
  }

  test("a slab is a Parquet file of slices, whose addresses follow from their numbers") {
    val filters = Seq.fill(19)(filterOf(Seq.fill(40)(random.nextLong()), 256))
    val (place, slab) = written(filters, SlabLayout(256, 19))
    val Seq(part) = slab.parts
    val path = new Path(place, part.name)
    val bytes = Files.readAllBytes(local(path))
    assert(slab.sliceBytes == 3 + 4 && part.bytes == bytes.length && part.blocks == 8)
    val reader = ParquetReader.builder[Group](new GroupReadSupport, path).withConf(conf).build()
    for (block <- 0 until 8; position <- 0 until BitSlices.Slices) {
      val slice = reader.read().getBinary("slice", 0).getBytes
      val at = part.firstSlice + block * part.pageBytes + position * slab.sliceBytes
      assert(Arrays.equals(slice, Arrays.copyOfRange(bytes, at.toInt, at.toInt + 7)))
      for (n <- filters.indices) {
        val bit = filters(n)(block * 32 + position / 8) >>> (position % 8) & 1
        assert((slice(n / 8) >>> (n % 8) & 1) == bit, s"block $block, position $position")
      }
    }
    assert(reader.read() == null)
    reader.close()
  }

  test(
    "a lookup of one key reads eight slices, in at most eight reads, of any number of filters") {
    val counting = new Configuration(false)
    counting.set("fs.counted.impl", classOf[FaultyFileSystem].getName)
    // number of filters, bytes of each; files
    for ((count, bytes, files) <- Seq(
        (100, 4096, 1),
        (10000, 1024, 1),
        (10000, 8192, 2),
        (100000, 1024, 2))) {
      val key = XxHash64.hashLong(42)
      val none = new Array[Byte](bytes)
      val filters = IndexedSeq.fill(count)(none).updated(count / 2, filterOf(Seq(key), bytes))
      val (place, slab) = written(filters, SlabLayout(bytes, count))
      assert(slab.parts.size == files)
      val faults = new Faults
      val counted = new Path(s"counted://${place.toUri.getPath}")
      val (holding, slices) =
        Faults.during(faults)(found(slab, counted, Array(key), counting))
      assert(holding == Seq(count / 2) && slices == 8)
      assert(faults.opens.get == 1 && faults.reads.get <= 8, s"$count filters")
      assert(faults.reads.get == 8 || count < 100000)
      info(s"$count filters of $bytes bytes: ${faults.reads.get} reads")
    }
  }

  test("a damaged slice is an error, and never an answer") {
    val filters = Seq.fill(50)(filterOf(Seq.fill(5)(random.nextLong()), 32))
    val (place, slab) = written(filters, SlabLayout(32, 50))
    val file = local(new Path(place, slab.parts.head.name))
    Files.delete(file.resolveSibling(s".${file.getFileName}.crc"))
    val bytes = Files.readAllBytes(file)
    var errors = 0
    for (_ <- 0 until 600 / TestFiles.stride) {
      val changed = bytes.clone()
      val at = random.nextInt(bytes.length)
      changed(at) = (changed(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(file, changed)
      val hash = random.nextLong()
      val expected =
        filters.indices.filter(n => SplitBlockBloomFilter.mightContain(filters(n), hash))
      Try(found(slab, place, Array(hash))._1)
        .fold(_ => errors += 1, now => assert(now == expected))
    }
    info(s"$errors errors")
    assert(errors > 0)
  }

  test("row groups get filters in few slabs, and wider ones only where that adds little") {
    def plan(sizes: (Int, Int)*) = new SlabPlan(
      sizes.flatMap { case (bytes, n) => Seq.fill(n)(bytes) }.toIndexedSeq,
      sizes.flatMap { case (_, n) => Seq.fill(n)(1) }.toIndexedSeq)
    // sizes with their counts; slabs
    for ((sizes, slabs) <- Seq(
        Seq(4096 -> 100) -> Seq(4096 -> 100),
        Seq(4096 -> 100, 32 -> 1) -> Seq(4096 -> 101),
        Seq(4096 -> 100, 32 -> 10) -> Seq(4096 -> 110),
        Seq(4096 -> 100, 32 -> 50) -> Seq(32 -> 50, 4096 -> 100),
        Seq(4096 -> 1, 32 -> 1000) -> Seq(32 -> 1000, 4096 -> 1),
        Seq(0 -> 3, 64 -> 2) -> Seq(64 -> 2),
        Seq(0 -> 3) -> Nil
      ))
      assert(plan(sizes: _*).slabs.map(s => s.filterBytes -> s.filters) == slabs, sizes)
    val mixed = plan(32 -> 2, 0 -> 1, 1024 -> 3)
    assert(
      (0 until 6).map(mixed.firstFilter) == Seq(0, 1, -1, 0, 1, 2) ||
        (0 until 6).map(mixed.firstFilter) == Seq(0, 1, -1, 2, 3, 4))
    val zones = new SlabPlan(Vector(64, 64, 64), Vector(3, 0, 2))
    assert((0 until 3).map(zones.firstFilter) == Seq(0, -1, 3) && zones.slabs.head.filters == 5)
  }

  /** The sizes of Lance, by its own formula: log2 of bytes, before they are limited to 5 until 27. */
  private def log2OfLance(items: Long, fpp: Double): Int = {
    def probability(log2: Int): Double = {
      val bits = math.pow(2, log2 + 3.0)
      if (items == 0) 0.0
      else if (items / bits > 2) 1.0
      else {
        val mean = 256.0 / (bits / items)
        val logMean = math.log(mean)
        var sum = 0.0
        var logFactorial = (1 to 749).map(n => math.log(n.toDouble)).sum
        for (i <- 749 to 0 by -1) {
          val block = math.pow(1 - math.pow(1 - 1.0 / 32, i.toDouble), 8)
          sum += math.exp(i * logMean - mean - logFactorial) * block
          if (i > 0) logFactorial -= math.log(i.toDouble)
        }
        sum
      }
    }
    var (low, high) = (0, 64)
    while (high > low + 1) {
      val middle = (low + high) / 2
      if (probability(middle) <= fpp) high = middle else low = middle
    }
    high
  }

  test("sizes are those of Lance") {
    // its test vectors: probability, items, log2 of bytes
    for ((fpp, items, log2) <- Seq(
        (.1, 10, 3),
        (.01, 10, 4),
        (.001, 10, 5),
        (.1, 100, 7),
        (.01, 100, 8),
        (.001, 100, 8),
        (.1, 1000, 10),
        (.01, 1000, 11),
        (.001, 1000, 12))) {
      assert(log2OfLance(items.toLong, fpp) == log2)
      assert(FilterSizing.bytesFor(items.toLong, fpp) == math.max(32, 1 << log2))
    }
    assert(FilterSizing.bytesFor(8192, 0.00057) == 32768)
    for {
      fpp <- Seq(0.5, 0.1, 0.05, 0.01, 0.00057, 1e-4, 1e-6, 1e-9)
      items <- Seq(1L, 2L, 7L, 100L, 999L, 4096L, 8192L, 10000L, 65536L, 1000000L, 50000000L)
    } {
      val log2 = math.min(27, math.max(5, log2OfLance(items, fpp)))
      assert(FilterSizing.bytesFor(items, fpp) == 1 << log2, s"$items at $fpp")
    }
  }
}
