package io.sbbf.orc.file

import java.util.concurrent.ConcurrentHashMap
import java.util.zip.CRC32

import org.apache.orc.{Reader, TypeDescription}

/**
 * What the tail of a file states. Immutable.
 *
 * @param schema the file's schema, whose types have the numbers of their columns; files with equal
 *   schemas share one
 * @param stripes the stripes in the order of the file
 * @param checksum the CRC-32 of the footer as it is stored
 * @param unusable the reason why the file's statistics must not be used; None if they may be
 */
private[orc] final case class FileTail(
    schema: TypeDescription,
    stripes: IndexedSeq[Stripe],
    checksum: Long,
    unusable: Option[String]) {

  def columns: Int = schema.getMaximumId + 1

  def isSameAs(other: FileTail): Boolean =
    checksum == other.checksum && stripes == other.stripes

  /** The estimated size in memory. */
  def bytes: Long = FileTail.TypeBytes * columns + FileTail.StripeBytes * stripes.size
}

private[orc] object FileTail {
  private final val TypeBytes = 200L
  private final val StripeBytes = 48L

  def of(reader: Reader): FileTail =
    FileTail(
      shared(reader.getSchema),
      (0 until reader.getStripes.size).map { n =>
        val stripe = reader.getStripes.get(n)
        Stripe(stripe.getOffset, stripe.getLength, stripe.getNumberOfRows)
      },
      checksum(reader),
      // a reader without keys reads the statistics of masked values
      if (reader.getEncryptionVariants.nonEmpty) Some("encrypted column") else None
    )

  private val schemas = new ConcurrentHashMap[String, TypeDescription]
  private final val MostSchemas = 1000

  private def shared(schema: TypeDescription): TypeDescription = {
    if (schemas.size >= MostSchemas) schemas.clear()
    schemas.computeIfAbsent(schema.toString, _ => schema)
  }

  private def checksum(reader: Reader): Long = {
    val crc = new CRC32
    crc.update(reader.getSerializedFileFooter.duplicate())
    crc.getValue
  }
}

/**
 * A stripe of a file.
 *
 * @param offset where it starts; a reader assigns it to the split that holds this position
 * @param bytes its length
 */
private[orc] final case class Stripe(offset: Long, bytes: Long, rows: Long)
