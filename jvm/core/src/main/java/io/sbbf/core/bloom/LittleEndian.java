package io.sbbf.core.bloom;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and updates little-endian numbers in plain bytes, at any offset and on machines of any
 * byte order. Each read takes one instruction. Written in Java, because Scala 2.12 cannot call a
 * VarHandle.
 */
final class LittleEndian {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static int getInt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static long getLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static void orInt(byte[] bytes, int at, int bits) {
    INTS.set(bytes, at, (int) INTS.get(bytes, at) | bits);
  }

  static void orLong(byte[] bytes, int at, long bits) {
    LONGS.set(bytes, at, (long) LONGS.get(bytes, at) | bits);
  }
}
