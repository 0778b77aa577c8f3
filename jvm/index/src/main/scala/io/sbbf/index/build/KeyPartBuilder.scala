package io.sbbf.index.build

import java.util.Arrays

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.index.format.{CheckedFile, KeyPartWriter, StoredPart}

/**
 * Builds one file of keys. Memory: 16 bytes for each entry, and the file.
 *
 * @param rowGroups the number of row groups of the segment
 */
private[sbbf] final class KeyPartBuilder(packing: KeyPacking, rowGroups: Int) {
  import KeyPartBuilder._

  /**
   * Writes the entries and returns the new file; None if there are no entries.
   *
   * @param runs packed entries in any order
   * @throws java.io.IOException if the file cannot be written
   */
  def write(runs: Iterator[Array[Long]], path: Path, conf: Configuration): Option[StoredPart] = {
    val packed = merged(runs)
    if (packed.isEmpty) None
    else {
      val file = new CheckedFile.Output(path, conf)
      val writer = new KeyPartWriter(file)
      addAll(packed, writer)
      Some(file.closing(writer.write(path.getName)))
    }
  }

  private def merged(runs: Iterator[Array[Long]]): Array[Long] = {
    val all = runs.toArray
    val packed = new Array[Long](Math.toIntExact(all.map(_.length.toLong).sum))
    all.foldLeft(0) { (at, run) =>
      System.arraycopy(run, 0, packed, at, run.length)
      at + run.length
    }
    Arrays.sort(packed)
    packed
  }

  private def addAll(packed: Array[Long], writer: KeyPartWriter): Unit = {
    var groups = new Array[Int](16)
    var from = 0
    while (from < packed.length) {
      val key = packing.keyOf(packed(from))
      var until = from
      var count = 0
      while (until < packed.length && packing.keyOf(packed(until)) == key) {
        val group = packing.rowGroupOf(packed(until))
        if (count == 0 || groups(count - 1) != group) { // a merge may give an entry twice
          if (count == groups.length) groups = Arrays.copyOf(groups, 2 * count)
          groups(count) = group
          count += 1
        }
        until += 1
      }
      if (groups(count - 1) == packing.everywhere || isEverywhere(count))
        writer.add(key, Everywhere, 0, 1)
      else writer.add(key, groups, 0, count)
      from = until
    }
  }

  private def isEverywhere(count: Int): Boolean =
    count >= FewestEverywhere && count > rowGroups / 8
}

private[sbbf] object KeyPartBuilder {

  /** The list of a key that counts as being in all row groups. */
  private val Everywhere = Array(KeyPartWriter.Everywhere)

  /** Shorter lists cost little. */
  private final val FewestEverywhere = 64
}
