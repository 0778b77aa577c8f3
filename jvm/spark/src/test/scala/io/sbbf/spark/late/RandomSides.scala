package io.sbbf.spark.late

import scala.util.Random

/** Makes random choices. */
private[late] abstract class RandomChoice(random: Random) {
  protected def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
  protected def chance(percent: Int): Boolean = random.nextInt(100) < percent

  /** Returns each choice as often as its weight says. */
  protected def weighted[T](choices: (T, Int)*): Seq[T] =
    choices.flatMap { case (choice, weight) => Seq.fill(weight)(choice) }
}

/** Generates the small sides of joins: rows of some table, and what has to equal their keys. */
private[late] final class RandomSides(random: Random, tables: Seq[String])
    extends RandomChoice(random) {
  import RandomSides._

  /** Returns the name of a side's key. */
  def column(number: Int): String = s"x${number + 1}"

  /** Returns the side of a join that has the keys `x1`, `x2` and so on, `y` and `z`. */
  def side(keys: Seq[RandomKey], alias: String): String = {
    val columns = keys.zipWithIndex.map { case (key, i) =>
      val value = key.ofSide
      s"${if (chance(90)) value else s"IF(id % 2 = 0, NULL, $value)"} AS ${column(i)}"
    }
    val twice = if (chance(10)) "LATERAL VIEW explode(array(1, 2)) e AS duplicate" else ""
    val rows = s"${columns.mkString(", ")}, m AS y, id AS z FROM ${one(tables)} $twice"
    val all = s"SELECT $rows WHERE ${someOf(keys)}"
    if (keys.size > 1 || chance(90)) s"($all) $alias"
    else s"(SELECT max(x1) AS x1, y, max(z) AS z FROM ($all) GROUP BY y) $alias"
  }

  /** Returns a condition on the rows of a side: few, none, or many that match few others. */
  private def someOf(keys: Seq[RandomKey]): String = {
    val from = random.nextInt(RandomJoinTables.Rows)
    if (chance(75)) s"id IN (${few()})"
    else if (chance(20)) "id < 0"
    else if (!keys.exists(_.isUnique)) s"id IN (${few()}) AND m < 4"
    else one(Seq(s"id BETWEEN $from AND ${from + 60}", "id % 97 = 5", "m < 5"))
  }

  def few(): String = Seq.fill(1 + random.nextInt(4))(anyId()).mkString(", ")

  /** Returns the number of a row, or one that no row has. */
  def anyId(): Int =
    if (chance(25)) one(Special) else random.nextInt(RandomJoinTables.Rows + 100)
}

private object RandomSides {
  import RandomJoinTables._

  /** Rows whose values are hard to compare, and one that does not exist. */
  val Special: Seq[Int] = NullRow +: -1 +: (Zeros ++ NegativeZeros ++ Nans)
}
