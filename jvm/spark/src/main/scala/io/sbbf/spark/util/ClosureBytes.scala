package io.sbbf.spark.util

import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.SparkEnv

/**
 * Converts objects of our classes to bytes and back, for shuffles and task results. There Spark
 * looks up classes with loaders that lack the JARs of a single session.
 */
private[spark] object ClosureBytes {
  def pack[T: ClassTag](value: T): Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(value)
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }

  def unpack[T: ClassTag](bytes: Array[Byte]): T =
    SparkEnv.get.closureSerializer
      .newInstance()
      .deserialize[T](ByteBuffer.wrap(bytes), getClass.getClassLoader)
}
