package io.sbbf.parquet.write

import java.io.ByteArrayOutputStream

import scala.util.Random

import org.apache.parquet.format.{FileMetaData, Type, Util}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.model.UnusableFile
import io.sbbf.parquet.testing.SyntheticFooter
import io.sbbf.parquet.testing.SyntheticFooter.Column
import io.sbbf.parquet.write.FilterLocation.{At, Dropped, Unchanged}
import io.sbbf.parquet.write.ThriftTree.{Items, Kind, Leaf, Node, Struct}

class FooterPatchSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private def bytes(metadata: FileMetaData): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(metadata, out)
    out.toByteArray
  }

  /** Returns a footer in which some chunks have a filter, and some of those a filter length. */
  private def random(random: Random): FileMetaData = {
    val columns = (0 until 1 + random.nextInt(20)).map(n => s"c$n" -> Column(Type.INT64))
    val metadata = SyntheticFooter.metadata(columns, 1 + random.nextInt(20))((_, _) => null)
    metadata.getRow_groups.forEach(_.getColumns.forEach { chunk =>
      val data = chunk.getMeta_data
      if (random.nextBoolean()) {
        data.setBloom_filter_offset(random.nextLong() >>> random.nextInt(60))
        if (random.nextBoolean()) data.setBloom_filter_length(random.nextInt(1 << 20))
      }
    })
    metadata
  }

  private def randomPlaces(random: Random): (Int, Int) => FilterLocation = {
    val salt = random.nextInt()
    (group, column) => {
      val own = new Random(salt ^ (group * 1000 + column))
      own.nextInt(3) match {
        case 0 => Unchanged
        case 1 => Dropped
        case _ => At(own.nextLong() >>> (1 + own.nextInt(60)), own.nextInt(1 << 20))
      }
    }
  }

  /** Returns the expected metadata of a chunk, computed independently of the tested code. */
  private def expected(data: Struct, place: FilterLocation): Struct = place match {
    case Unchanged => data
    case Dropped => data.without(14, 15)
    case At(offset, length) =>
      data.updated(14, Leaf(Kind.I64, offset)).updated(15, Leaf(Kind.I32, length))
  }

  private def expected(footer: Struct, place: (Int, Int) => FilterLocation): Struct =
    eachOf(footer, 4)((rowGroup, g) =>
      eachOf(rowGroup, 1)((chunk, c) =>
        chunk.updated(3, expected(chunk(3).asInstanceOf[Struct], place(g, c)))))

  private def eachOf(struct: Struct, id: Int)(change: (Struct, Int) => Struct): Struct = {
    val Items(kind, nodes) = struct(id)
    val changed = nodes.zipWithIndex.map { case (node, n) =>
      change(node.asInstanceOf[Struct], n)
    }
    struct.updated(id, Items(kind, changed))
  }

  /** Adds fields to each struct that no version of the format has. */
  private def withInventedFields(node: Node, random: Random): Node = node match {
    case Struct(fields) =>
      val known = Struct(fields.map { case (id, value) =>
        id -> withInventedFields(value, random)
      })
      val invented = Seq(
        Leaf(Kind.I64, random.nextLong()),
        Leaf(Kind.BOOL, random.nextBoolean()),
        Leaf(Kind.DOUBLE, random.nextDouble()),
        Leaf(Kind.STRING, Seq.fill(random.nextInt(200))(random.nextInt().toByte)),
        Items(Kind.I32, Seq.fill(random.nextInt(20))(Leaf(Kind.I32, random.nextInt()))),
        Struct(Seq(3 -> Leaf(Kind.I16, random.nextInt().toShort)))
      )
      val last = fields.lastOption.fold(0)(_._1)
      invented.foldLeft(known)((struct, value) =>
        struct.updated(struct.fields.lastOption.fold(last)(_._1) + 1 + random.nextInt(40), value))
    case Items(kind, nodes) => Items(kind, nodes.map(withInventedFields(_, random)))
    case leaf => leaf
  }

  test("a patch changes only the filters' fields of footers that parquet-java wrote") {
    val rng = new Random(seed)
    (1 to 200).foreach { _ =>
      val footer = bytes(random(rng))
      val place = randomPlaces(rng)
      val patched = FooterPatch.patched(footer, place)
      assert(ThriftTree.read(patched) == expected(ThriftTree.read(footer), place))
    }
  }

  test("a patch keeps unknown fields, wherever they are") {
    val rng = new Random(seed)
    (1 to 200).foreach { _ =>
      val tree = withInventedFields(ThriftTree.read(bytes(random(rng))), rng).asInstanceOf[Struct]
      val footer = ThriftTree.write(tree)
      assert(ThriftTree.read(footer) == tree)
      val place = randomPlaces(rng)
      assert(ThriftTree.read(FooterPatch.patched(footer, place)) == expected(tree, place))
    }
  }

  test("a patch without changes, or with added and dropped filters, keeps all bytes") {
    val rng = new Random(seed)
    (1 to 50).foreach { _ =>
      val footer = bytes(random(rng))
      assert(FooterPatch.patched(footer, (_, _) => Unchanged) sameElements footer)
      val without = FooterPatch.patched(footer, (_, _) => Dropped)
      val filled = FooterPatch.patched(without, (_, _) => At(1L << 40, 77))
      assert(FooterPatch.patched(filled, (_, _) => Dropped) sameElements without)
    }
  }

  test("a damaged footer raises an error") {
    val footer = bytes(random(new Random(seed)))
    (0 until footer.length by 7).foreach { end =>
      assertThrows[UnusableFile](FooterPatch.patched(footer.take(end), (_, _) => Dropped))
    }
  }
}
