package io.sbbf.spark.read

import java.util.{HashMap, LinkedHashMap, Map}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.util.SerializableConfiguration

/**
 * Caches broadcast Hadoop configurations: queries share one if their configurations have the same
 * entries. A broadcast takes several times as long as planning a lookup. Thread-safe.
 */
private[spark] object BroadcastConfCache {
  private final val MaxKept = 8

  private type Key = (SparkContext, Map[String, String])
  private type Shared = Broadcast[SerializableConfiguration]

  private val known = new LinkedHashMap[Key, Shared](MaxKept, 0.75f, true) {
    override def removeEldestEntry(eldest: Map.Entry[Key, Shared]): Boolean = size > MaxKept
  }

  /** Returns a broadcast of the present entries of `conf`. */
  def of(context: SparkContext, conf: Configuration): Shared = {
    val entries = new HashMap[String, String]
    conf.iterator.forEachRemaining(entry => entries.put(entry.getKey, entry.getValue))
    val key = (context, entries: Map[String, String])
    known.synchronized {
      // a stopped context loses its broadcasts
      known.keySet.removeIf { case (of, _) => of.isStopped }
      Option(known.get(key)).getOrElse {
        val shared = context.broadcast(new SerializableConfiguration(new Configuration(conf)))
        known.put(key, shared)
        shared
      }
    }
  }
}
