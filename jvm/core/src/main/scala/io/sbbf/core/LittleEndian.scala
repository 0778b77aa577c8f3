package io.sbbf.core

/**
 * Little-endian reads from plain bytes, whatever the machine's own order. Written with shifts,
 * because `java.lang.invoke.VarHandle` is missing from the JVM 8 class files that Scala 2.12
 * emits.
 */
private[core] object LittleEndian {

  def int(bytes: Array[Byte], at: Int): Int =
    (bytes(at) & 0xff) | (bytes(at + 1) & 0xff) << 8 | (bytes(at + 2) & 0xff) << 16 |
      bytes(at + 3) << 24

  def long(bytes: Array[Byte], at: Int): Long =
    int(bytes, at) & 0xffffffffL | int(bytes, at + 4).toLong << 32
}
