package io.sbbf.spark.append

import io.sbbf.spark.util.CommandOption.{DryRun, Table, Where}
import io.sbbf.spark.util.{CommandOption, CommandOptions}
import io.sbbf.spark.write.FilterOptions

/**
 * A request to change the bloom filters of existing files.
 *
 * @param table a table's name, or a file, a folder or a glob pattern of Hadoop
 * @param settings the columns and the properties of their filters, in the keys of a writing job
 *   ([[FilterOptions]])
 * @param isDrop whether to drop the filters of the columns, or of all columns if none is named
 * @param replaces whether new filters replace existing ones
 * @param allowTableFormats whether to change tables whose log records the length of each file
 * @param dryRun whether only to estimate the change
 * @param where a condition on partition columns, for files of some partitions alone
 */
private[spark] final case class AddFiltersRequest(
    table: String,
    settings: Map[String, String],
    isDrop: Boolean,
    replaces: Boolean,
    allowTableFormats: Boolean,
    dryRun: Boolean,
    where: Option[String] = None) {

  /** @param rowGroups the estimated row groups of the table, for an FPP of `auto` */
  def edits(rowGroups: Long): EditSpec = EditSpec(settings, isDrop, replaces, rowGroups)
}

private[spark] object AddFiltersRequest {
  private val Columns = CommandOption.names("columns")
  private val Settings = CommandOption.settings("options")
  private val AllowTableFormats = CommandOption.flag("allow_table_formats")
  private val Fpp = CommandOption.text("fpp")
  private val Replace = CommandOption.flag("replace")

  val OptionsOfDrop: Seq[CommandOption[_]] =
    Seq(Table, Columns, Settings, AllowTableFormats, DryRun, Where)
  val OptionsOfAdd: Seq[CommandOption[_]] = OptionsOfDrop ++ Seq(Fpp, Replace)

  /** @throws IllegalArgumentException naming the option that is invalid or has no effect */
  def of(options: CommandOptions, isDrop: Boolean): AddFiltersRequest = {
    val (columns, fpp) = (options(Columns), options(Fpp))
    if (fpp.isDefined && columns.isEmpty)
      throw new IllegalArgumentException("fpp needs columns; name the columns that get filters")
    columns.diff(columns.distinct).headOption.foreach { twice =>
      throw new IllegalArgumentException(s"columns: $twice named more than once")
    }
    val settings = (columns.map(FilterOptions.enabling) ++
      fpp.toSeq.flatMap(value => columns.map(FilterOptions.fpp(_, value))) ++
      options(Settings)).toMap
    check(settings, isDrop)
    AddFiltersRequest(
      options(Table),
      settings,
      isDrop,
      options(Replace),
      options(AllowTableFormats),
      options(DryRun),
      options(Where))
  }

  private def check(settings: Map[String, String], isDrop: Boolean): Unit = {
    val options = FilterOptions.of(settings)
    val known = FilterOptions.keys.filter(_ != FilterOptions.Auto) // only for writers
    (options.unusedKeys ++ settings.keys.filter(_ == FilterOptions.Auto)).headOption.foreach {
      key =>
        throw new IllegalArgumentException(
          s"'$key' has no effect here: the settings are ${known.mkString(", ")}; add # and a " +
            "column that gets filters, except for settings of all columns")
    }
    if (!isDrop && options.columns.isEmpty)
      throw new IllegalArgumentException("name the columns that get filters")
  }
}
