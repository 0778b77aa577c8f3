package com.google.cloud.hadoop.fs.gcs

import io.sbbf.parquet.testing.FaultyFileSystem

/**
 * The local disk under the class name of a store with atomic PUT, whose streams cannot be aborted.
 */
final class GoogleHadoopFileSystem extends FaultyFileSystem
