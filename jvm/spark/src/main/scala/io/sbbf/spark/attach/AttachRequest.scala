package io.sbbf.spark.attach

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.attach.FilterWish
import io.sbbf.parquet.write.FilterRequest
import io.sbbf.spark.write.FilterOptions

/**
 * What somebody wants of the bloom filters of existing files.
 *
 * @param path a file, a folder or a pattern of Hadoop's
 * @param settings that name the columns and say how their filters are to be, as of a job that writes
 *   ([[FilterOptions]])
 * @param isDrop whether the columns are to lose their filters, all columns where none is named
 * @param replaced whether filters are made also in place of those that are there
 * @param force whether also for tables whose log knows the length of each file
 * @param dryRun whether only to tell what would be done
 */
private[spark] final case class AttachRequest(
    path: String,
    settings: Map[String, String],
    isDrop: Boolean,
    replaced: Boolean,
    force: Boolean,
    dryRun: Boolean) {

  /** @param rowGroups of the table, about, for an FPP of `auto` */
  def change(rowGroups: Long): FilterChange =
    if (isDrop) FilterChange.Drop(FilterOptions.of(settings).named)
    else FilterChange.Add(settings, replaced, rowGroups)
}

private[spark] object AttachRequest {
  private val Flags = Seq("drop", "replace", "force", "dry_run")

  /**
   * @param options the settings, `path`, and the flags `drop`, `replace`, `force` and `dry_run`
   * @throws IllegalArgumentException naming the option that is unknown or wrong
   */
  def parse(options: Map[String, String]): AttachRequest = {
    val (own, settings) =
      options.partition { case (key, _) => key == "path" || Flags.contains(key) }
    def flag(name: String): Boolean = own.get(name).exists {
      case "true" => true
      case "false" => false
      case other =>
        throw new IllegalArgumentException(s"$name must be true or false, but was '$other'")
    }
    of(
      own.getOrElse("path", throw new IllegalArgumentException("name the path of the files")),
      settings,
      flag("drop"),
      flag("replace"),
      flag("force"),
      flag("dry_run")
    )
  }

  /** @throws IllegalArgumentException naming the setting that is unknown or of no effect */
  def of(
      path: String,
      settings: Map[String, String],
      isDrop: Boolean,
      replaced: Boolean,
      force: Boolean,
      dryRun: Boolean): AttachRequest = {
    val options = FilterOptions.of(settings)
    options.idle.headOption.foreach { key =>
      throw new IllegalArgumentException(
        s"'$key' says nothing here: there are ${FilterOptions.keys.mkString(", ")}, followed by # and a column " +
          "that gets filters where they are not of all columns")
    }
    if (!isDrop && options.named.isEmpty)
      throw new IllegalArgumentException("name the columns that are to get filters")
    AttachRequest(path, settings, isDrop, replaced, force, dryRun)
  }
}

private[spark] sealed trait FilterChange extends Product with Serializable {

  /** Those that are named. */
  def columns: Seq[String]

  /**
   * For a file of this schema.
   *
   * @throws IllegalArgumentException naming the column whose values have no hash, or the setting that is wrong
   */
  def wish(schema: MessageType): FilterWish

  /** That it has been made: what it asks of a file to which it was done is nothing. */
  def kept: FilterChange
}

private[spark] object FilterChange {

  /**
   * @param settings as those of a job that writes ([[FilterOptions]])
   * @param replaced whether also in place of filters that are there
   * @param rowGroups of the table, for an FPP of `auto`
   */
  final case class Add(settings: Map[String, String], replaced: Boolean, rowGroups: Long)
      extends FilterChange {
    private def options = FilterOptions.of(settings)

    override def kept: FilterChange = copy(replaced = false)

    override def columns: Seq[String] = options.named

    override def wish(schema: MessageType): FilterWish = {
      val requests = options.requests(schema, rowGroups)
      val leaves = schema.getColumns.asScala.toSeq
      leaves.zipWithIndex.foreach { case (column, number) =>
        val path = column.getPath.mkString(".")
        if (columns.contains(path) && !requests.exists(_.column == number))
          throw new IllegalArgumentException(
            s"column '$path' is ${column.getPrimitiveType}: ${FilterRequest.WhyNone}")
      }
      FilterWish.Add(requests, replaced)
    }
  }

  /** @param columns empty for all */
  final case class Drop(columns: Seq[String]) extends FilterChange {
    override def kept: FilterChange = this

    override def wish(schema: MessageType): FilterWish = {
      val paths = schema.getColumns.asScala.map(_.getPath.mkString("."))
      FilterWish.Drop(paths.indices.filter(n => columns.isEmpty || columns.contains(paths(n))))
    }
  }
}
