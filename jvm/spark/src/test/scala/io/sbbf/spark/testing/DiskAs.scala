package io.sbbf.spark.testing

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.RawLocalFileSystem

/** The local disk under another scheme. */
abstract class DiskAs(scheme: String) extends RawLocalFileSystem {
  override def getUri: URI = URI.create(s"$scheme:///")
  override def getScheme: String = scheme
  override def initialize(name: URI, conf: Configuration): Unit = super.initialize(getUri, conf)
}
