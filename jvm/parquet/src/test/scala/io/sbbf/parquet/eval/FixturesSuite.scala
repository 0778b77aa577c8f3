package io.sbbf.parquet.eval

import java.nio.file.{Files, Path => JPath, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.crypto.{DecryptionPropertiesFactory, FileDecryptionProperties}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value
import io.sbbf.core.predicate.Value._
import io.sbbf.core.predicate.Verdict.{CannotMatch, MightMatch}
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.input.Decryption
import io.sbbf.parquet.model.{LeafResult, UnusableFile}
import io.sbbf.parquet.testing.{SyntheticFooter, TestFile, TestFiles, TestKeys}

/** Files of other writers, found through SBBF_FIXTURES. */
final class FixturesSuite extends AnyFunSuite {
  private def fixture(name: String): JPath = {
    val root = sys.env.get("SBBF_FIXTURES")
    assume(root.isDefined, "SBBF_FIXTURES is not set")
    Paths.get(root.get).resolve(name)
  }

  private def text(v: String) = Bytes(v.getBytes, true)

  /** A file around a filter of its own: a BYTE_ARRAY column whose chunk names it. */
  private def around(filter: Array[Byte]): TestFile = {
    val thrift = SyntheticFooter.metadata(
      Seq("c" -> SyntheticFooter.Column(org.apache.parquet.format.Type.BYTE_ARRAY)),
      1)((_, _) => null)
    thrift.getRow_groups.get(0).getColumns.get(0).getMeta_data.setBloom_filter_offset(5)
    new TestFile(TestFiles.withFooter("PAR1.".getBytes ++ filter, thrift)) // its page is at 4
  }

  test("the filter of the format's own test data holds its four words") {
    val file = around(Files.readAllBytes(fixture("parquet-testing/bloom_filter.xxhash.bin")))
    for (word <- Seq("hello", "parquet", "bloom", "filter"))
      assert(file.evaluate("c", text(word)) == Seq(LeafResult.InFilter))
    for (word <- Seq("hell", "Parquet", "", "sbbf"))
      assert(file.evaluate("c", text(word)) == Seq(LeafResult.NotInFilter))
  }

  test("a filter of the Murmur kind is refused") {
    val file = around(Files.readAllBytes(fixture("parquet-testing/bloom_filter.bin")))
    assert(file.filter(0, "c").isInstanceOf[FilterState.Rejected])
    assert(file.evaluate("c", text("hello")).head.verdict == MightMatch)
  }

  test("parquet-mr's and parquet-rs's filters keep what they hold and refute what not") {
    for (name <- Seq("stats", "with_length")) {
      val path = fixture(s"parquet-testing/data_index_bloom_encoding_$name.parquet")
      val file = new TestFile(path)
      assert(file.filter(0, "String").isInstanceOf[FilterState.Present])
      assert(file.evaluate("String", text("Hello")).map(_.verdict) == Seq(MightMatch))
      assert(file.evaluate("String", text("Hello_Not_Exists")).map(_.verdict) == Seq(CannotMatch))
    }
  }

  test("DuckDB's filters of one value hold that value alone") {
    val held = Seq("a", "b", "c").map { name =>
      val file = new TestFile(fixture(s"duckdb/multi_bloom_$name.parquet"))
      assert(file.footer.numColumns == 1)
      val FilterState.Present(_, _, bitset) = file.evidence.filter(0, 0, file.bytes)
      assert(bitset.length == 32)
      val column = file.footer.columnName(0)
      val kind = file.evidence.physicalType(0)
      def literal(v: Long): Value =
        if (kind == "INT32") IntegerLiteral(v, 32)
        else if (kind == "INT64") IntegerLiteral(v, 64)
        else text(v.toString)
      val hits =
        (-10L to 1000L).filter(v => file.evaluate(column, literal(v)).head.verdict == MightMatch)
      (name, kind, hits)
    }
    held.foreach { case (name, kind, hits) => assert(hits.length <= 1, s"$name $kind $hits") }
  }

  test("a dot in a column's name is part of the name") {
    val file = new TestFile(fixture("duckdb/alp_exceptions.parquet"))
    def answer(path: String*) =
      file
        .bind(Leaf(path, In(Seq(DoubleLiteral(1.23456789e300)))))
        .evalContents(0, () => file.bytes)
    assert(file.footer.columnName(0) == "values.numbers5")
    assert(file.evidence.physicalType(0) == "DOUBLE")
    assert(answer("values.numbers5").verdict == CannotMatch)
    assert(answer("values", "numbers5") == LeafResult.AllNull)
    assert(file.evidence.filter(0, 0, file.bytes).isInstanceOf[FilterState.Present])
  }

  test("a file without statistics is pruned by its filters alone") {
    val file =
      new TestFile(fixture("cudf/mixed_card_ndv_100_bf_fpp0.1_nostats.snappy.parquet"))
    assert(file.footer.numRowGroups == 5 && file.footer.numColumns == 8)
    for (g <- 0 until 5; c <- 0 until 8) {
      assert(file.evidence.nullCount(g, c) == -1)
      assert(file.evidence.filterOffset(g, c) > 0)
    }
    val refuted = for {
      c <- 0 until 8
      literal <- file.evidence.physicalType(c) match {
        case "INT32" => Some((i: Int) => IntegerLiteral(1000000L + i, 32): Value)
        case "INT64" => Some((i: Int) => IntegerLiteral(1000000000000L + i, 64): Value)
        case "DOUBLE" => Some((i: Int) => DoubleLiteral(1e300 + i): Value)
        case "FLOAT" => Some((i: Int) => FloatLiteral(1e30f * i): Value)
        case "BYTE_ARRAY" => Some((i: Int) => text(s"no such value $i"): Value)
        case _ => None
      }
      leaves = (1 to 50).map(i => file.evaluate(file.footer.columnName(c), literal(i)))
      if !leaves.flatten.forall(_.reason == "type not comparable")
    } yield leaves.flatten.count(_.verdict == CannotMatch)
    assert(refuted.nonEmpty && refuted.forall(_ > 100), refuted)
  }

  test("DuckDB's code column is pruned in both row groups") {
    val file = new TestFile(fixture("hyparquet/bloom_filter.parquet"))
    assert(file.footer.numRowGroups == 2)
    val answers =
      (-1000 to 1000).map(v => v -> file.evaluate("code", IntegerLiteral(v.toLong, 32)))
    val kept = answers.filter(_._2.exists(_.verdict == MightMatch)).map(_._1)
    assert(kept.nonEmpty && kept.length < 50, kept)
  }

  test("encrypted files are read with the keys that their makers published") {
    val keys = Decryption.of(TestKeys.conf(Nil), None)
    def opened(name: String): TestFile = {
      val conf = new Configuration(false)
      conf.set("parquet.crypto.factory.class", classOf[PublishedKeys].getName)
      val path = fixture(s"parquet-testing/$name.parquet.encrypted")
      assert(intercept[UnusableFile](new TestFile(path, keys = keys).footer).reason.nonEmpty)
      new TestFile(path, keys = Decryption.of(conf, None))
    }
    val filtered = opened("encrypt_columns_and_footer_bloom_filter")
    for (i <- 0 until 2000) {
      assert(
        filtered.evaluate("double_field", DoubleLiteral(i + 0.5)).map(_.verdict) == Seq(
          MightMatch))
      assert(
        filtered.evaluate("float_field", FloatLiteral(i + 0.25f)).map(_.verdict) == Seq(
          MightMatch))
    }
    for (name <- Seq("double_field", "float_field"))
      assert(filtered.filter(0, name).isInstanceOf[FilterState.Present])
    val absent =
      (0 until 2000).map(i => filtered.evaluate("double_field", DoubleLiteral(i + 0.75)).head)
    assert(absent.count(_ == LeafResult.NotInFilter) > 1900)
    for (name <- Seq("uniform_encryption", "encrypt_columns_plaintext_footer")) {
      val file = opened(name)
      assert(file.footer.numRowGroups > 0)
      val column = file.column("double_field")
      assert((0 until file.footer.numRowGroups).forall(!file.evidence.isUnreadable(_, column)))
      assert(
        file
          .evaluate("double_field", DoubleLiteral(-1e300))
          .forall(_ == LeafResult.OutsideBounds),
        name)
    }
  }

  test("encrypted files and columns are kept") {
    val folder = "parquet-testing"
    for (name <- Seq("encrypt_columns_and_footer_bloom_filter", "uniform_encryption")) {
      val path = fixture(s"$folder/$name.parquet.encrypted")
      val reason = intercept[UnusableFile](new TestFile(path).footer).reason
      assert(reason == "encrypted footer")
    }
    val plain =
      new TestFile(fixture(s"$folder/encrypt_columns_plaintext_footer.parquet.encrypted"))
    assert(plain.evidence.isUnreadable(0, plain.column("double_field")))
    val leaf = plain.bind(Leaf(Seq("double_field"), In(Seq(DoubleLiteral(1e9)))))
    assert(leaf.evalContents(0, () => plain.bytes) == LeafResult.EncryptedColumn)
    assert(plain.filter(0, "double_field") == FilterState.Rejected("encrypted column"))
  }

  test("every file among the fixtures is read or refused") {
    val refused = Files
      .walk(fixture(""))
      .toArray
      .map(_.asInstanceOf[JPath])
      .filter(Files.isRegularFile(_))
      .count { path =>
        val file = new TestFile(path)
        try {
          for (g <- 0 until file.footer.numRowGroups; c <- 0 until file.footer.numColumns)
            file.evidence.filter(g, c, file.bytes)
          false
        } catch { case _: UnusableFile => true }
      }
    assert(refused > 0)
  }
}

/** The keys of the encrypted files of parquet-testing (its `data/README.md`). */
final class PublishedKeys extends DecryptionPropertiesFactory {
  private val keys =
    Map("kf" -> "0123456789012345", "kc1" -> "1234567890123450", "kc2" -> "1234567890123451")

  override def getFileDecryptionProperties(
      conf: Configuration,
      path: Path): FileDecryptionProperties =
    FileDecryptionProperties
      .builder()
      .withKeyRetriever(metadata => keys(new String(metadata)).getBytes)
      .build()
}
