package io.sbbf.parquet.input

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path => JPath}

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.crypto.ModuleCipherFactory.ModuleType
import org.apache.parquet.crypto.{AesCipher, AesMode, ModuleCipherFactory}
import org.apache.parquet.example.data.Group
import org.apache.parquet.format.{FileMetaData, Util}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{IsNull, Less, NotIn, Test}
import io.sbbf.core.predicate.Value._
import io.sbbf.core.predicate.{RowGroupPredicate, Value, Verdict}
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.model.{Evidence, LeafResult, UnusableFile}
import io.sbbf.parquet.testing.{TestFile, TestFiles, TestKeys}

/**
 * Tests files under Parquet's modular encryption with their keys, without keys and with wrong
 * keys.
 */
final class EncryptionSuite extends AnyFunSuite {
  import Evidence.{Bloom, Dictionary, MinMax, NullCount}
  import FilterState._
  import TestFiles._
  import TestKeys._

  private val rows = 3 * RowsPerGroup
  private def id(row: Int): Long = 2L * (row * 7 % rows)
  private val columns = Seq("id", "twin", "open", "name", "n")

  private def write(scheme: Option[Scheme]): JPath = TestFiles.write(
    "message m { required int64 id; required int64 twin; required int64 open; " +
      "required binary name (UTF8); optional int32 n; }",
    Style(
      filters = Map("id" -> 100, "twin" -> 100, "open" -> 100),
      dictionaries = Set("name"),
      encryption = scheme.map(_.properties)),
    (0 until rows).iterator.map(row =>
      (g: Group) => {
        Seq("id", "twin", "open").foreach(g.add(_, id(row)))
        g.add("name", s"name ${id(row) / 40}")
        if (row < RowsPerGroup) g.add("n", row)
      })
  )

  private lazy val plain = write(None)
  private lazy val encrypted: Map[Scheme, JPath] =
    Schemes.map(scheme => scheme -> write(Some(scheme))).toMap

  private def literal(column: String, value: Int): Value =
    if (column == "name") Bytes(s"name $value".getBytes, true)
    else if (column == "n") IntegerLiteral(value.toLong, 32)
    else IntegerLiteral(value.toLong, 64)

  private def tests(column: String): Seq[Test] = {
    val one = (0 until 2 * rows).map(v => RowGroupPredicate.In(Seq(literal(column, v))))
    one ++ Seq(
      IsNull,
      NotIn(Seq(literal(column, 7))),
      Less(literal(column, 3), orEqual = true),
      Less(literal(column, -1), orEqual = true))
  }

  private def results(file: TestFile, column: String): Seq[Seq[LeafResult]] =
    tests(column).map(file.evaluate(column, _))

  private def open(path: JPath, keys: Decryption): TestFile = new TestFile(path, keys = keys)

  test("a file read with its keys gives the same results as a file that is not encrypted") {
    val twin = new TestFile(plain)
    val evidence = columns.map(results(twin, _))
    assert(evidence.flatten.flatten.count(_.verdict == Verdict.CannotMatch) > 1000)
    assert(
      evidence.flatten.flatten.map(_.evidence).toSet ==
        Set(Evidence.None, NullCount, MinMax, Dictionary, Bloom))
    for ((scheme, path) <- encrypted; tail <- Seq(8, 65536)) {
      val file = new TestFile(path, tail, TestKeys.of(All, scheme.entries: _*))
      assert(columns.map(results(file, _)) == evidence, scheme)
      assert(file.footer.isEncrypted)
      for (g <- 0 until 3; c <- columns) {
        assert(file.footer.numRows(g) == RowsPerGroup)
        assert(
          file.evidence.nullCount(g, file.column(c)) ==
            twin.evidence.nullCount(g, twin.column(c)))
        (file.filter(g, c), twin.filter(g, c)) match {
          case (Present(_, _, bits), Present(_, _, twinBits)) =>
            assert(bits.toSeq == twinBits.toSeq)
          case (state, twinState) => assert(state == twinState)
        }
      }
    }
  }

  test("filters with a missing length are read, as parquet-mr 1.13 writes them") {
    val scheme = Scheme(plainFooter = true, leavesTwinOpen = true)
    val path = changedFooter(write(Some(scheme))) { metadata =>
      val fileAad = metadata.getEncryption_algorithm.getAES_GCM_V1.getAad_file_unique
      for (g <- 0 until 3) {
        val chunk = metadata.getRow_groups.get(g).getColumns.get(0)
        val aad = AesCipher.createModuleAAD(fileAad, ModuleType.ColumnMetaData, g, 0, -1)
        val thrift = ModuleCipherFactory
          .getDecryptor(AesMode.GCM, Id.getBytes)
          .decrypt(chunk.getEncrypted_column_metadata, aad)
        val data = Util.readColumnMetaData(new ByteArrayInputStream(thrift), null, null)
        data.unsetBloom_filter_length()
        val out = new ByteArrayOutputStream
        Util.writeColumnMetaData(data, out, null, null)
        val encryptor = ModuleCipherFactory.getEncryptor(AesMode.GCM, Id.getBytes)
        chunk.setEncrypted_column_metadata(encryptor.encrypt(out.toByteArray, aad))
      }
    }
    for (tail <- Seq(8, 65536)) {
      val file = new TestFile(path, tail, unchecked(scheme))
      assert(results(file, "id") == results(new TestFile(plain), "id"))
    }
  }

  test("row groups get the midpoints of parquet-mr, wherever their metadata is stored") {
    for ((scheme, path) <- encrypted) {
      val footer = open(path, TestKeys.of(All, scheme.entries: _*)).footer
      assert(footer.hasMidpoints, scheme)
      for (g <- 0 until 3) {
        val conf = TestKeys.conf(All, scheme.entries: _*)
        val reader = ParquetFileReader.open(
          HadoopInputFile.fromPath(new Path(path.toUri), conf),
          HadoopReadOptions
            .builder(conf, new Path(path.toUri))
            .withRange(footer.midpoint(g), footer.midpoint(g) + 1)
            .build()
        )
        val blocks =
          try reader.getFooter.getBlocks
          finally reader.close()
        assert(blocks.size == 1 && blocks.get(0).getOrdinal == g, scheme)
      }
    }
  }

  test("a file with an encrypted footer is rejected without keys") {
    for ((scheme, path) <- encrypted if !scheme.plainFooter)
      assert(refusal(path, Decryption.NoKeys) == Some("encrypted footer"))
  }

  test("without keys only the open columns of a file with a plain footer are used") {
    val path = write(Some(Scheme(plainFooter = true, leavesTwinOpen = true)))
    val twin = new TestFile(plain)
    val file = new TestFile(path)
    for (c <- Seq("open", "twin", "n")) assert(results(file, c) == results(twin, c))
    for (c <- Seq("id", "name")) {
      assert(results(file, c).flatten.toSet == Set(LeafResult.EncryptedColumn))
      assert(file.filter(0, c) == Rejected("encrypted column"))
      assert(file.evidence.nullCount(0, file.column(c)) == -1)
      assert(file.evidence.filterOffset(0, file.column(c)) == -1)
    }
    assert(file.footer.isEncrypted && file.footer.hasMidpoints)
  }

  test("a file that parquet-mr cannot read without the footer's key is rejected without it") {
    for ((scheme, path) <- encrypted if scheme.plainFooter)
      assert(refusal(path, Decryption.NoKeys) == Some("columns encrypted with the footer's key"))
  }

  test("a key that is missing or denied closes its column alone") {
    for ((scheme, path) <- encrypted) {
      val file = open(path, TestKeys.of(Seq(Footer, Id), scheme.entries: _*))
      val twin = new TestFile(plain)
      for (c <- Seq("id", "twin", "open", "n")) assert(results(file, c) == results(twin, c))
      assert(results(file, "name").flatten.toSet == Set(LeafResult.EncryptedColumn))
      val other = open(path, TestKeys.of(Seq(Footer), scheme.entries: _*))
      assert(results(other, "id").flatten.toSet == Set(LeafResult.EncryptedColumn))
    }
  }

  test("only the keys of the needed columns are retrieved, each once") {
    for ((scheme, path) <- encrypted) {
      val keys = Decryption.of(conf(All, scheme.entries: _*), Some(Seq("ID")))
      TestKeys.requested = Nil
      val file = open(path, keys)
      assert(results(file, "id") == results(new TestFile(plain), "id"))
      assert(file.footer.isUnreadable(file.footer.chunk(0, file.column("name"))))
      assert(TestKeys.requested.toSet == Set(Footer, Id).map(_.reverse))
      TestKeys.requested = Nil
      open(path, Decryption.of(conf(Seq(Footer), scheme.entries: _*), Some(Seq("id")))).footer
      assert(TestKeys.requested.count(_ == Id.reverse) == 1)
    }
  }

  test("keys, prefixes, signatures and plain files that parquet-mr rejects are rejected") {
    val (wrongFooter, notVerified) =
      ("access to its key denied", "footer not decrypted or not verified")
    for ((scheme, path) <- encrypted) {
      assert(refusal(path, TestKeys.of(Seq(Id), scheme.entries: _*)) == Some(wrongFooter))
      val other = TestKeys.of(All, Prefix -> "t/p1")
      assert(refusal(path, other) == Some(notVerified))
      if (!scheme.storesPrefix) assert(refusal(path, TestKeys.of(All)) == Some(notVerified))
      else {
        val expectation = TestKeys.of(All, ExpectedPrefix -> "t/p1")
        assert(refusal(path, expectation) == Some(notVerified))
        if (scheme.prefix.isDefined)
          assert(refusal(path, TestKeys.of(All, ExpectedPrefix -> "t/p0")).isEmpty)
      }
    }
    assert(refusal(plain, TestKeys.of(All)).isEmpty)
    assert(refusal(plain, TestKeys.of(All, AllowsPlain -> "false")) == Some(notVerified))
    val missing = new Configuration(false)
    missing.set("parquet.crypto.factory.class", "no.such.Factory")
    assert(refusal(plain, Decryption.of(missing, None)) == Some(notVerified))
  }

  test("a plain footer that was changed is rejected if its signature is checked") {
    val scheme = Scheme(plainFooter = true, leavesTwinOpen = true)
    val changed = changedFooter(write(Some(scheme)))(_.setNum_rows(1234))
    assert(refusal(changed, TestKeys.of(All)) == Some("footer not decrypted or not verified"))
    val file = open(changed, unchecked(scheme))
    assert(results(file, "id") == results(new TestFile(plain), "id"))
  }

  test("a byte flipped anywhere in a filter keeps its row group and changes no other results") {
    val random = new Random(seed())
    for ((scheme, path) <- encrypted) {
      val keys = TestKeys.of(All, scheme.entries: _*)
      val Present(offset, header, bitset) = open(path, keys).filter(1, "id")
      val end = offset.toInt + header + bitset.length + 32
      val places = (offset.toInt until offset.toInt + header + 20) ++
        Seq.fill(20)(offset.toInt + header + random.nextInt(end - offset.toInt - header)) ++
        (end - 16 until end)
      val before = results(open(path, keys), "id")
      for (at <- places) {
        val file = open(flipped(path, at, random), keys)
        assert(file.filter(1, "id").isInstanceOf[Rejected], s"$scheme, byte $at")
        results(file, "id").zip(before).foreach { case (now, was) =>
          assert(now(0) == was(0) && now(2) == was(2))
          assert(now(1) == was(1) || now(1).verdict == Verdict.MightMatch)
        }
      }
    }
  }

  test("filters that have changed places are rejected") {
    for ((scheme, path) <- encrypted) {
      val keys = TestKeys.of(All, scheme.entries: _*)
      val file = open(path, keys)
      val Present(first, header, bitset) = file.filter(0, "id")
      val length = header + bitset.length + 32
      for ((row, column) <- Seq((1, "id"), (0, "twin"))) {
        val Present(second, _, _) = file.filter(row, column)
        val bytes = Files.readAllBytes(path)
        val kept = bytes.clone()
        System.arraycopy(kept, first.toInt, bytes, second.toInt, length)
        val swapped = open(Files.write(fresh(), bytes), keys)
        assert(swapped.filter(row, column) == Rejected("damaged header"))
        // the right header before the wrong bitset
        System.arraycopy(kept, second.toInt, bytes, second.toInt, header)
        val mixed = open(Files.write(fresh(), bytes), keys)
        assert(mixed.filter(row, column) == Rejected("cannot be decrypted"))
      }
    }
  }

  test("a byte flipped anywhere behind the data never refutes a row that is there") {
    val random = new Random(seed())
    for ((scheme, path) <- encrypted) {
      val keys = TestKeys.of(All, scheme.entries: _*)
      val start = open(path, keys).footer.footerStart.toInt
      val length = Files.size(path).toInt
      val places = (length - 40 until length) ++
        Seq.fill(150)(start + random.nextInt(length - start))
      for (at <- places) {
        val changed = flipped(path, at, random)
        // a plain footer with an unchecked signature may be wrong, as any plain footer may
        for (k <- Seq(Decryption.NoKeys, unchecked(scheme))) refusal(changed, k)
        if (refusal(changed, keys).isEmpty) {
          val file = open(changed, keys)
          for (row <- 0 until rows by 17; c <- Seq("id", "open", "name")) {
            val value = if (c == "name") id(row) / 40 else id(row)
            val result = file.evaluate(c, literal(c, value.toInt))(row / RowsPerGroup)
            assert(result.verdict != Verdict.CannotMatch)
          }
        }
      }
    }
  }

  test("a byte flipped in the metadata of a column closes it, signature or not") {
    val random = new Random(seed())
    val scheme = Scheme(plainFooter = true, leavesTwinOpen = true)
    val path = write(Some(scheme))
    for (column <- Seq(0, 3); _ <- 1 to 20) {
      val changed = changedFooter(path) { metadata =>
        val module = metadata.getRow_groups.get(1).getColumns.get(column)
        val bytes = module.getEncrypted_column_metadata
        val at = random.nextInt(bytes.length)
        bytes(at) = (bytes(at) ^ (1 << random.nextInt(8))).toByte
        module.setEncrypted_column_metadata(bytes)
      }
      assert(refusal(changed, TestKeys.of(All)).isDefined)
      val file = open(changed, unchecked(scheme))
      val sealedRowGroups =
        (0 until 3).filter(g => file.footer.isUnreadable(file.footer.chunk(g, column)))
      assert(sealedRowGroups == Seq(1))
    }
  }

  test("a length that claims more than there is allocates nothing") {
    for ((scheme, path) <- encrypted) {
      val keys = TestKeys.of(All, scheme.entries: _*)
      val Present(offset, header, _) = open(path, keys).filter(1, "id")
      for (at <- Seq(offset.toInt, offset.toInt + header);
        claim <- Seq(Int.MaxValue, -1, 1 << 27)) {
        val bytes = Files.readAllBytes(path)
        (0 until 4).foreach(i => bytes(at + i) = (claim >> 8 * i).toByte)
        val file = open(Files.write(fresh(), bytes), keys)
        assert(file.filter(1, "id").isInstanceOf[Rejected])
      }
      if (!scheme.plainFooter) {
        val bytes = Files.readAllBytes(path)
        val start = open(path, keys).footer.footerStart.toInt
        val cipherAt = CompactStruct.end(bytes, start, bytes.length)
        (0 until 4).foreach(i => bytes(cipherAt + i) = (Int.MaxValue >> 8 * i).toByte)
        assert(refusal(Files.write(fresh(), bytes), keys) == Some("cannot be decrypted"))
      }
    }
  }

  test("a query with keys does not share encrypted files, nor reuse them from other queries") {
    val path = new Path("file:/t")
    val keys = TestKeys.of(All)
    val strict = TestKeys.of(All, AllowsPlain -> "false")
    val openFooter = new TestFile(plain).footer
    val closed = open(encrypted(Scheme()), keys).footer
    assert(!keys.mayShare(closed.isEncrypted) && !keys.mayReuse(closed.isEncrypted, path))
    assert(keys.mayShare(openFooter.isEncrypted) && keys.mayReuse(openFooter.isEncrypted, path))
    assert(!strict.mayReuse(openFooter.isEncrypted, path))
    val half = new TestFile(write(Some(Scheme(plainFooter = true, leavesTwinOpen = true)))).footer
    assert(
      Decryption.NoKeys
        .mayShare(half.isEncrypted) && Decryption.NoKeys.mayReuse(half.isEncrypted, path))
    assert(!keys.mayReuse(half.isEncrypted, path))
  }

  private def unchecked(scheme: Scheme): Decryption =
    TestKeys.of(All, scheme.entries :+ (ChecksSignature -> "false"): _*)

  private def refusal(path: JPath, keys: Decryption): Option[String] =
    try {
      open(path, keys).footer
      None
    } catch { case e: UnusableFile => Some(e.reason) }

  private def flipped(path: JPath, at: Int, random: Random): JPath = {
    val bytes = Files.readAllBytes(path)
    bytes(at) = (bytes(at) ^ (1 << random.nextInt(8))).toByte
    Files.write(fresh(), bytes)
  }

  /** Writes the file with another plain footer and the old signature behind it. */
  private def changedFooter(path: JPath)(change: FileMetaData => Unit): JPath = {
    val bytes = Files.readAllBytes(path)
    val (metadata, start) = footerOf(bytes)
    change(metadata)
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(metadata, out)
    val signature = bytes.slice(bytes.length - 8 - 28, bytes.length - 8)
    withFooter(bytes.take(start), out.toByteArray ++ signature)
  }
}
