package io.sbbf.parquet.write

import shaded.parquet.org.apache.thrift.protocol._
import shaded.parquet.org.apache.thrift.transport.TMemoryBuffer

/** Reads and writes any thrift struct with Thrift's own protocol, whatever its fields mean. */
object ThriftTree {

  /** Thrift's type codes. parquet-java's copy of Thrift lacks the class that defines them. */
  object Kind {
    final val STOP: Byte = 0
    final val BOOL: Byte = 2
    final val BYTE: Byte = 3
    final val DOUBLE: Byte = 4
    final val I16: Byte = 6
    final val I32: Byte = 8
    final val I64: Byte = 10
    final val STRING: Byte = 11
    final val STRUCT: Byte = 12
    final val LIST: Byte = 15
  }

  sealed trait Node
  final case class Leaf(kind: Byte, value: Any) extends Node
  final case class Items(kind: Byte, nodes: Seq[Node]) extends Node

  /** @param fields the fields in the order of the bytes */
  final case class Struct(fields: Seq[(Int, Node)]) extends Node {
    def apply(id: Int): Node = fields.collectFirst { case (`id`, node) => node }.get
    def without(ids: Int*): Struct = Struct(fields.filterNot { case (id, _) => ids.contains(id) })

    /** Returns the struct with a field, at the position that its id determines. */
    def updated(id: Int, node: Node): Struct = {
      val (before, after) = without(id).fields.span { case (other, _) => other < id }
      Struct(before ++ Seq(id -> node) ++ after)
    }
  }

  def read(bytes: Array[Byte]): Struct = {
    val buffer = new TMemoryBuffer(bytes.length)
    buffer.write(bytes, 0, bytes.length)
    val tree = struct(new TCompactProtocol(buffer))
    assert(buffer.length == bytes.length)
    tree
  }

  def write(tree: Struct): Array[Byte] = {
    val buffer = new TMemoryBuffer(1024)
    put(new TCompactProtocol(buffer), tree)
    java.util.Arrays.copyOf(buffer.getArray, buffer.length)
  }

  private def struct(in: TProtocol): Struct = {
    in.readStructBegin()
    val fields = Iterator
      .continually(in.readFieldBegin())
      .takeWhile(_.`type` != Kind.STOP)
      .map(field => field.id.toInt -> node(in, field.`type`))
      .toVector
    in.readStructEnd()
    Struct(fields)
  }

  private def node(in: TProtocol, kind: Byte): Node = kind match {
    case Kind.STRUCT => struct(in)
    case Kind.LIST =>
      val list = in.readListBegin()
      Items(list.elemType, Vector.fill(list.size)(node(in, list.elemType)))
    case Kind.BOOL => Leaf(kind, in.readBool())
    case Kind.BYTE => Leaf(kind, in.readByte())
    case Kind.I16 => Leaf(kind, in.readI16())
    case Kind.I32 => Leaf(kind, in.readI32())
    case Kind.I64 => Leaf(kind, in.readI64())
    case Kind.DOUBLE => Leaf(kind, in.readDouble())
    case Kind.STRING => Leaf(kind, in.readBinary().array.toSeq)
  }

  private def kindOf(node: Node): Byte = node match {
    case Struct(_) => Kind.STRUCT
    case Items(_, _) => Kind.LIST
    case Leaf(kind, _) => kind
  }

  private def put(out: TProtocol, node: Node): Unit = node match {
    case Struct(fields) =>
      out.writeStructBegin(new TStruct("any"))
      fields.foreach { case (id, value) =>
        out.writeFieldBegin(new TField("any", kindOf(value), id.toShort))
        put(out, value)
      }
      out.writeFieldStop()
      out.writeStructEnd()
    case Items(kind, nodes) =>
      out.writeListBegin(new TList(kind, nodes.length))
      nodes.foreach(put(out, _))
    case Leaf(_, value: Boolean) => out.writeBool(value)
    case Leaf(_, value: Byte) => out.writeByte(value)
    case Leaf(_, value: Short) => out.writeI16(value)
    case Leaf(_, value: Int) => out.writeI32(value)
    case Leaf(_, value: Long) => out.writeI64(value)
    case Leaf(_, value: Double) => out.writeDouble(value)
    case Leaf(_, value: Seq[_]) =>
      val bytes = value.map(_.asInstanceOf[Byte]).toArray
      out.writeBinary(java.nio.ByteBuffer.wrap(bytes))
    case Leaf(_, other) => throw new IllegalArgumentException(s"no thrift value: $other")
  }
}
