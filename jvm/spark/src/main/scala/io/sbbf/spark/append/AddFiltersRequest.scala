package io.sbbf.spark.append

import io.sbbf.spark.util.OptionText
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
  private val Texts = Seq("table", "where")
  private val Flags = Seq("drop", "replace", "allow_table_formats", "dry_run")

  /**
   * Parses a request.
   *
   * @param options the settings, `table`, `where`, and the flags `drop`, `replace`,
   *   `allow_table_formats` and `dry_run`
   * @throws IllegalArgumentException naming the option that is unknown or invalid
   */
  def parse(options: Map[String, String]): AddFiltersRequest = {
    val (own, settings) =
      options.partition { case (key, _) => Texts.contains(key) || Flags.contains(key) }
    def flag(name: String): Boolean = own.get(name).exists(OptionText.flag(name, _))
    of(
      own.getOrElse("table", throw new IllegalArgumentException("the option table is missing")),
      settings,
      flag("drop"),
      flag("replace"),
      flag("allow_table_formats"),
      flag("dry_run"),
      own.get("where")
    )
  }

  /** @throws IllegalArgumentException naming the setting that is unknown or has no effect */
  def of(
      table: String,
      settings: Map[String, String],
      isDrop: Boolean,
      replaces: Boolean,
      allowTableFormats: Boolean,
      dryRun: Boolean,
      where: Option[String]): AddFiltersRequest = {
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
    AddFiltersRequest(table, settings, isDrop, replaces, allowTableFormats, dryRun, where)
  }
}
