package io.sbbf.spark.fuzz

import java.io.{BufferedReader, InputStreamReader, OutputStreamWriter}
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Path, Paths}

/**
 * Random tables with their predicates, from the generator that all fuzzing shares: tests/fuzz,
 * in Python. The next table is written while one is being worked on.
 *
 * @param sparkVersion decides which types there are
 * @param predicates how many each table comes with
 */
final class Corpus(folder: Path, seed: String, sparkVersion: String, predicates: Int)
    extends AutoCloseable {
  private val process = new ProcessBuilder(
    Corpus.python,
    "tests/fuzz/corpus.py",
    folder.toString,
    "--seed",
    seed,
    "--spark",
    sparkVersion,
    "--predicates",
    predicates.toString).redirectError(Redirect.INHERIT).start()
  private val answers = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
  private val questions = new OutputStreamWriter(process.getOutputStream, UTF_8)
  ask()

  private def ask(): Unit = { questions.write("\n"); questions.flush() }

  /** The folder of the next table. */
  def next(): Path = {
    val answer = answers.readLine()
    if (answer == null) throw new IllegalStateException("the generator of tables has failed")
    ask()
    Paths.get(answer)
  }

  override def close(): Unit = process.destroy()
}

object Corpus {

  /** The Python that `make setup` makes, with the libraries of other writers. */
  val python: String = sys.env.getOrElse("SBBF_PYTHON", ".venv/bin/python")
}
