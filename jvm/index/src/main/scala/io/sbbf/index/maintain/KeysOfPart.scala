package io.sbbf.index.maintain

import scala.collection.mutable.ArrayBuilder

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.index.build.KeyPacking
import io.sbbf.index.format.{KeyPartWriter, StoredPart}
import io.sbbf.index.search.KeyPart

/**
 * The keys of a part of a segment, which another segment takes over. Serializable.
 *
 * @param folder the folder of the segment
 * @param hashBits the bits that its keys have
 * @param numbers the new numbers of the row groups that are taken over
 */
private[sbbf] final class KeysOfPart(
    folder: String,
    part: StoredPart,
    hashBits: Int,
    numbers: Renumbering)
    extends Serializable {
  import KeysOfPart._

  /**
   * Returns the packed entries in ascending runs. An entry may be in more than one of them.
   *
   * @param packing the packing of the other segment, whose keys have at most as many bits
   * @throws java.io.IOException if the part cannot be read or is damaged, also while the runs are
   *   taken
   */
  def runs(packing: KeyPacking, conf: Configuration): Iterator[Array[Long]] = {
    val opened = KeyPart.open(part, new Path(folder), conf)
    val dropped = hashBits - packing.hashBits
    (0 until opened.numPages).grouped(PagesAtOnce).flatMap { pages =>
      val (listed, everywhere) = (new ArrayBuilder.ofLong, new ArrayBuilder.ofLong)
      opened.entries(pages, conf) { (whole, rowGroup) =>
        val key = whole >>> dropped
        if (rowGroup == KeyPartWriter.Everywhere) everywhere += key
        else {
          val number = numbers(rowGroup)
          if (number >= 0) listed += packing.pack(key, number)
        }
      }
      val keys = everywhere.result()
      Iterator(KeyPacking.distinct(listed.result())) ++
        (if (keys.length.toLong * numbers.size > MostExpanded)
           Iterator(KeyPacking.distinct(keys.map(packing.packEverywhere)))
         else
           keys.iterator.map(key => KeyPacking.distinct(numbers.all.map(packing.pack(key, _)))))
    }
  }
}

private object KeysOfPart {

  /** Some MB of pages. */
  private final val PagesAtOnce = 256

  /** The most entries of keys in many row groups, as many as of the other keys of these pages. */
  private final val MostExpanded = 1L << 20
}
