package io.sbbf.spark.late

/**
 * One key of a random join: expressions in which `#` stands for the table.
 *
 * @param fact the expression over the larger side
 * @param side the expression over the other side, equal to `fact` for some rows
 * @param isUnique whether at most a few rows have the same key
 */
private[late] final case class RandomKey(fact: String, side: String, isUnique: Boolean) {
  def ofFact(alias: String): String = fact.replace("#", s"$alias.")
  def ofSide(alias: String): String = side.replace("#", s"$alias.")
  def ofSide: String = side.replace("#", "")
}

private[late] object RandomKey {

  private val Unique = Seq("k", "i", "s", "c", "b", "d", "f", "day", "ts", "ntz", "dec", "dec9")
  private val Repeated = Seq(
    "#n",
    "#g",
    "#m % 3",
    "coalesce(#n, 0L)",
    "IF(#m = 0, DOUBLE('NaN'), #d)",
    "substring(#s, 1, 8)",
    "year(#day)")
  private val Computed = Seq(
    "upper(#s)",
    "rtrim(#c)",
    "CAST(#s AS BINARY)",
    "CAST(#k AS STRING)",
    "#k + 1",
    "date_trunc('DAY', #ts)",
    "array(#k, #m)")

  /** Expressions of two types, or texts and floating-point numbers of two forms. */
  private val Mixed = Seq(
    "CAST(#i AS BIGINT)" -> "#i",
    "#i" -> "CAST(#i AS DECIMAL(12, 0))",
    "#i" -> "CAST(#i AS DOUBLE)",
    "#k" -> "CAST(#k AS DECIMAL(20, 0))",
    "#f" -> "CAST(#f AS DOUBLE)",
    "#d" -> "#f",
    "#d" -> "-#d",
    "#f" -> "-#f",
    "#day" -> "CAST(#day AS TIMESTAMP)",
    "#ts" -> "#day",
    "CAST(#ts AS DATE)" -> "#day",
    "CAST(#ntz AS TIMESTAMP)" -> "#ts",
    "#dec9" -> "CAST(#dec9 AS DECIMAL(14, 4))",
    "#c" -> "rtrim(#c)",
    "#c" -> "rpad(#c, 8, ' ')",
    "#c" -> "concat(rtrim(#c), '    ')",
    "#id" -> "#g"
  )

  val all: Seq[RandomKey] =
    (Unique ++ Unique).map(name => RandomKey(s"#$name", s"#$name", isUnique = true)) ++
      Repeated.map(text => RandomKey(text, text, isUnique = false)) ++
      Computed.map(text => RandomKey(text, text, isUnique = true)) ++
      Mixed.map { case (fact, side) => RandomKey(fact, side, isUnique = true) }

  val unique: Seq[RandomKey] = all.filter(_.isUnique)

  val long: RandomKey = RandomKey("#k", "#k", isUnique = true)

  /** Integers that Spark's hash table packs into one. */
  val packed: Seq[RandomKey] =
    Seq("#i", "CAST(#g AS INT)").map(key => RandomKey(key, key, isUnique = true))

  /** The key of the partitions of the table `parts`. */
  val partition: RandomKey = RandomKey("#p", "#id % 3", isUnique = false)
}
