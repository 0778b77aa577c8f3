package io.sbbf.parquet.append

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

/** Tests that bytes are forced to the disk while more are written, and that errors are thrown. */
class IncrementalFsyncSuite extends AnyFunSuite {
  private val piece = Array.tabulate(1 << 20)(_.toByte)
  private val perInterval = IncrementalFsync.Interval / piece.length

  private def writeInterval(out: OutputStream): Unit =
    for (_ <- 0 until perInterval) out.write(piece, 0, piece.length)

  test("all bytes arrive as written, one by one or many together.") {
    val arrived = new ByteArrayOutputStream
    IncrementalFsync.write(arrived, () => ()) { out =>
      out.write(7)
      writeInterval(out)
      out.write(piece, 3, 2)
    }
    val expected = Seq(7.toByte) ++ Seq.fill(perInterval)(piece.toSeq).flatten ++ Seq[Byte](3, 4)
    assert(arrived.toByteArray.toSeq == expected)
  }

  test("an interval is forced while others are written, and those share the next call.") {
    val forced = new AtomicInteger
    val begun, more = new CountDownLatch(1)
    IncrementalFsync.write(
      OutputStream.nullOutputStream,
      () => {
        begun.countDown()
        more.await()
        forced.incrementAndGet()
        ()
      }) { out =>
      writeInterval(out)
      assert(begun.await(60, TimeUnit.SECONDS))
      for (_ <- 0 until 5) writeInterval(out)
      more.countDown()
    }
    assert(forced.get >= 1 && forced.get <= 2)
  }

  test("bytes that fill no interval are not forced.") {
    IncrementalFsync.write(OutputStream.nullOutputStream, () => fail("forced"))(
      _.write(piece, 0, 10))
  }

  test("an error of the disk is thrown.") {
    val error = new IOException("no space left")
    val begun = new CountDownLatch(1)
    val thrown = intercept[IOException] {
      IncrementalFsync.write(
        OutputStream.nullOutputStream,
        () => {
          begun.countDown()
          throw error
        }) { out =>
        writeInterval(out)
        begun.await()
      }
    }
    assert(thrown eq error)
  }

  test("an error of the writer is thrown only after forcing has ended.") {
    val isForcing = new AtomicBoolean
    val begun = new CountDownLatch(1)
    val error = new IOException("cut")
    val thrown = intercept[IOException] {
      IncrementalFsync.write(
        OutputStream.nullOutputStream,
        () => {
          isForcing.set(true)
          begun.countDown()
          try Thread.sleep(60000)
          finally isForcing.set(false)
        }) { out =>
        writeInterval(out)
        begun.await()
        throw error
      }
    }
    assert((thrown eq error) && !isForcing.get)
  }
}
