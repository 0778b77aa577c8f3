package io.sbbf.spark.util

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

import io.sbbf.core.kernel.Kernels.Mode
import io.sbbf.core.kernel.{Kernel, Kernels, ScalarKernel, VectorKernel}
import io.sbbf.parquet.model.Evidence
import io.sbbf.spark.session.Doctor
import io.sbbf.spark.testing.SparkSuite

class KernelChoiceSuite extends SparkSuite {

  test("the selected kernel probes filters, and the doctor reports it.") {
    val target = saved("kernels", spark.range(0, 2000, 2, 1).toDF(), enable("id"))
    try
      for (mode <- Seq(Mode.Scalar, Mode.Vector, Mode.Auto)) {
        Kernels.use(mode)
        assert(spark.read.parquet(target).where("id = 42").count() == 1)
        val absent = spark.read.parquet(target).where("id = 43")
        assert(absent.count() == 0 && pruning(absent).get.refutedBy(Evidence.Bloom) == 1)
        assert(Kernels.implementationName.contains("(as configured)") == (mode != Mode.Auto))
        assert(Doctor.findings(spark).toMap.apply("kernels") == Kernels.implementationName)
      }
    finally Kernels.use(Mode.default)
    assert(Doctor.findings(spark).toMap.apply(Mode.Property) == Mode.default.text)
  }

  for (kernel <- Seq[Kernel](ScalarKernel, VectorKernel))
    test(s"${kernel.name}: hashes are those of Spark's own XXH64 with seed 0.") {
      val random = new Random(1)
      val longs = Array.fill(1000)(random.nextLong())
      val (hashes, ofInts) = (new Array[Long](1000), new Array[Long](1000))
      kernel.hashLongs(longs, 0, 1000, hashes, 0)
      kernel.hashInts(longs.map(_.toInt), 0, 1000, ofInts, 0)
      assert(hashes.sameElements(longs.map(XXH64.hashLong(_, 0))))
      assert(ofInts.sameElements(longs.map(v => XXH64.hashInt(v.toInt, 0))))
      for (width <- 0 to 200) {
        val bytes = new Array[Byte](width * 300)
        random.nextBytes(bytes)
        val strings = new Array[Long](300)
        kernel.hashBytes(bytes, Array.tabulate(301)(_ * width), 0, 300, strings, 0)
        for (i <- strings.indices) {
          val expected =
            XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET + i * width.toLong, width, 0)
          assert(strings(i) == expected, s"$width bytes")
        }
      }
    }
}
