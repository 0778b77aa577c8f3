package io.sbbf.spark.append

import io.sbbf.spark.write.FilterOptions

/**
 * What somebody wants of the bloom filters of existing files.
 *
 * @param path a file, a folder or a pattern of Hadoop's
 * @param settings that name the columns and say how their filters are to be, as of a job that writes
 *   ([[FilterOptions]])
 * @param isDrop whether the columns are to lose their filters, all columns where none is named
 * @param replaces whether filters are made also in place of those that are there
 * @param force whether also for tables whose log knows the length of each file
 * @param dryRun whether only to tell what would be done
 */
private[spark] final case class AddFiltersRequest(
    path: String,
    settings: Map[String, String],
    isDrop: Boolean,
    replaces: Boolean,
    force: Boolean,
    dryRun: Boolean) {

  /** @param rowGroups of the table, about, for an FPP of `auto` */
  def edits(rowGroups: Long): EditSpec = EditSpec(settings, isDrop, replaces, rowGroups)
}

private[spark] object AddFiltersRequest {
  private val Flags = Seq("drop", "replace", "force", "dry_run")

  /**
   * @param options the settings, `path`, and the flags `drop`, `replace`, `force` and `dry_run`
   * @throws IllegalArgumentException naming the option that is unknown or wrong
   */
  def parse(options: Map[String, String]): AddFiltersRequest = {
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
      replaces: Boolean,
      force: Boolean,
      dryRun: Boolean): AddFiltersRequest = {
    val options = FilterOptions.of(settings)
    val known = FilterOptions.keys.filter(_ != FilterOptions.Auto) // which is for writers
    (options.unusedKeys ++ settings.keys.filter(_ == FilterOptions.Auto)).headOption.foreach {
      key =>
        throw new IllegalArgumentException(
          s"'$key' has no effect here: there are ${known.mkString(", ")}, followed by # and a column " +
            "that gets filters where they are not of all columns")
    }
    if (!isDrop && options.columns.isEmpty)
      throw new IllegalArgumentException("name the columns that are to get filters")
    AddFiltersRequest(path, settings, isDrop, replaces, force, dryRun)
  }
}
