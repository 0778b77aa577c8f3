package io.sbbf.parquet.append

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

/** Are bytes forced to the disk while more of them come, and does whoever writes them learn of trouble? */
class IncrementalFsyncSuite extends AnyFunSuite {
  private val piece = Array.tabulate(1 << 20)(_.toByte)
  private val perStretch = IncrementalFsync.Stretch / piece.length

  private def stretch(out: OutputStream): Unit =
    for (_ <- 0 until perStretch) out.write(piece, 0, piece.length)

  test("all bytes arrive as they were written, one by one or many at once.") {
    val arrived = new ByteArrayOutputStream
    IncrementalFsync.write(arrived, () => ()) { out =>
      out.write(7)
      stretch(out)
      out.write(piece, 3, 2)
    }
    val expected = Seq(7.toByte) ++ Seq.fill(perStretch)(piece.toSeq).flatten ++ Seq[Byte](3, 4)
    assert(arrived.toByteArray.toSeq == expected)
  }

  test("a stretch is forced before the next one is written, and what comes meanwhile together.") {
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
      stretch(out)
      assert(begun.await(60, TimeUnit.SECONDS))
      for (_ <- 0 until 5) stretch(out)
      more.countDown()
    }
    assert(forced.get >= 1 && forced.get <= 2)
  }

  test("what is shorter than a stretch is left to the end.") {
    IncrementalFsync.write(OutputStream.nullOutputStream, () => fail("forced"))(
      _.write(piece, 0, 10))
  }

  test("what the disk refuses is told.") {
    val trouble = new IOException("no space left")
    val begun = new CountDownLatch(1)
    val thrown = intercept[IOException] {
      IncrementalFsync.write(
        OutputStream.nullOutputStream,
        () => {
          begun.countDown()
          throw trouble
        }) { out =>
        stretch(out)
        begun.await()
      }
    }
    assert(thrown eq trouble)
  }

  test("where writing fails nothing is forced any more when its error is told.") {
    val isForcing = new AtomicBoolean
    val begun = new CountDownLatch(1)
    val trouble = new IOException("cut")
    val thrown = intercept[IOException] {
      IncrementalFsync.write(
        OutputStream.nullOutputStream,
        () => {
          isForcing.set(true)
          begun.countDown()
          try Thread.sleep(60000)
          finally isForcing.set(false)
        }) { out =>
        stretch(out)
        begun.await()
        throw trouble
      }
    }
    assert((thrown eq trouble) && !isForcing.get)
  }
}
