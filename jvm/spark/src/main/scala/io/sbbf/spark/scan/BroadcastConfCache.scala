package io.sbbf.spark.scan

import java.util.{HashMap, LinkedHashMap, Map}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.util.SerializableConfiguration

/**
 * Hadoop configurations as executors get them, one for all queries whose configuration is the same entry by
 * entry: to broadcast one takes several times as long as to plan a lookup. Thread-safe.
 */
private[spark] object BroadcastConfCache {
  private final val MaxKept = 8

  private type Key = (SparkContext, Map[String, String])
  private type Shared = Broadcast[SerializableConfiguration]

  private val known = new LinkedHashMap[Key, Shared](MaxKept, 0.75f, true) {
    override def removeEldestEntry(eldest: Map.Entry[Key, Shared]): Boolean = size > MaxKept
  }

  /** A broadcast of `conf` as it is now. */
  def of(context: SparkContext, conf: Configuration): Shared = {
    val entries = new HashMap[String, String]
    conf.iterator.forEachRemaining(entry => entries.put(entry.getKey, entry.getValue))
    val key = (context, entries: Map[String, String])
    known.synchronized {
      known.keySet.removeIf { case (of, _) => of.isStopped } // and its broadcasts with it
      Option(known.get(key)).getOrElse {
        val shared = context.broadcast(new SerializableConfiguration(new Configuration(conf)))
        known.put(key, shared)
        shared
      }
    }
  }
}
