package io.sbbf.spark.index.zones

import io.sbbf.index.zones.SlabLayout

/**
 * Numbers the files of a segment with zones, which are the partitions of a shuffle: the table of
 * zones of each column, and the parts of its slabs. Serializable.
 *
 * @param slabs the slabs of each column
 */
private[zones] final class ZoneFiles(val slabs: Vector[Vector[SlabLayout]]) extends Serializable {
  import ZoneFiles._

  private val places: Vector[Place] = slabs.zipWithIndex.flatMap { case (of, column) =>
    TableOf(column) +: of.zipWithIndex.flatMap { case (layout, slab) =>
      (0 until layout.numParts).map(PartOf(column, slab, _))
    }
  }
  private val numbers: Map[Place, Int] = places.zipWithIndex.toMap

  def size: Int = places.size

  /** Returns the file of a partition. */
  def apply(partition: Int): Place = places(partition)

  /** Returns the partition of a file. */
  def numberOf(place: Place): Int = numbers(place)
}

private[zones] object ZoneFiles {
  sealed abstract class Place extends Product with Serializable

  /** The table of zones of a column. */
  final case class TableOf(column: Int) extends Place

  /** A part of a slab of a column. */
  final case class PartOf(column: Int, slab: Int, part: Int) extends Place
}
