package io.sbbf.parquet.chunk

import org.apache.parquet.format.{ColumnChunk, FileMetaData}

import io.sbbf.parquet.model.UnusableFile

/** Checks that a file's column chunks are in the order of its columns. */
private[parquet] object ChunkLayout {

  /**
   * Checks that the path and the number of a column identify the same chunk, because readers find
   * values by path and filters by number. Also checks that no two paths are equal when their names
   * are joined by dots, because parquet-mr finds dictionaries by that name.
   *
   * @param paths the paths of the leaves of the schema
   * @throws UnusableFile if a check fails, with the reason
   */
  def check(metadata: FileMetaData, paths: IndexedSeq[Seq[String]]): Unit = {
    if (paths.map(_.mkString(".")).distinct.size < paths.size)
      throw new UnusableFile("columns of the same name")
    for (rowGroup <- 0 until metadata.getRow_groups.size) {
      val chunks = metadata.getRow_groups.get(rowGroup).getColumns
      if (chunks.size != paths.size) throw new UnusableFile("row group without all its columns")
      for (column <- paths.indices) check(chunks.get(column), paths(column))
    }
  }

  private def check(chunk: ColumnChunk, path: Seq[String]): Unit = {
    if (chunk.isSetFile_path) throw new UnusableFile("column chunks in another file")
    if (!chunk.isSetMeta_data) throw new UnusableFile("column chunk without metadata")
    val names = chunk.getMeta_data.getPath_in_schema
    if (names.size != path.size || path.indices.exists(n => names.get(n) != path(n)))
      throw new UnusableFile("column chunks in another order than columns")
  }
}
