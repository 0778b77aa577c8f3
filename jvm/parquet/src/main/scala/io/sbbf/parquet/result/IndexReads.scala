package io.sbbf.parquet.result

/**
 * What searches of an index have read.
 *
 * @param segments the segments that were searched
 * @param pages the pages of their keys
 */
private[sbbf] final case class IndexReads(segments: Int, pages: Int, bytes: Long) {
  def +(other: IndexReads): IndexReads =
    IndexReads(segments max other.segments, pages + other.pages, bytes + other.bytes)

  /** Returns, for example, "1 segment, 2 pages, 34 KB"; empty if no index was searched. */
  def summary: String = {
    def of(n: Int, what: String) = f"$n%,d $what${if (n == 1) "" else "s"}"
    if (segments == 0) ""
    else f"${of(segments, "segment")}, ${of(pages, "page")}, ${(bytes + 1023) / 1024}%,d KB"
  }
}

private[sbbf] object IndexReads {
  val Nothing: IndexReads = IndexReads(0, 0, 0)
}
