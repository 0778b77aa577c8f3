package io.sbbf.spark.fuzz

import java.io.{BufferedReader, InputStreamReader, OutputStreamWriter}
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Path, Paths}

/**
 * Supplies random tables and their predicates from tests/fuzz, the Python generator that all
 * fuzzing shares. The generator writes the next table while the caller uses the current one.
 *
 * @param sparkVersion the version that decides which types exist
 * @param predicates the number of predicates for each table
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
  private val folders = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
  private val requests = new OutputStreamWriter(process.getOutputStream, UTF_8)
  request()

  private def request(): Unit = { requests.write("\n"); requests.flush() }

  /** Returns the folder of the next table, and requests the one after it. */
  def next(): Path = {
    val table = folders.readLine()
    if (table == null) throw new IllegalStateException("the generator of tables has failed")
    request()
    Paths.get(table)
  }

  override def close(): Unit = process.destroy()
}

object Corpus {

  /** The Python that `make setup` installs, with the libraries of other writers. */
  val python: String = sys.env.getOrElse("SBBF_PYTHON", ".venv/bin/python")
}
