package io.sbbf.core.kernel

import java.io.File
import java.nio.file.{Files, Path, Paths}

import scala.sys.process.{Process, ProcessLogger}
import scala.util.Properties

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.FullRun

/**
 * Tests which kernels JVMs choose, and that all of them return the same results. Runs this JDK,
 * and on Scala 2.13 a JDK 25 next to it if there is one, as they are and with ever less of a
 * compiler and of a CPU.
 */
@FullRun
class KernelSelectionMainSuite extends AnyFunSuite {

  private val module = "--add-modules=jdk.incubator.vector"

  // The abilities of this CPU, from the kernel of its operating system and not from the JVM.
  private lazy val flags: Set[String] = {
    val info = Paths.get("/proc/cpuinfo")
    if (Files.isReadable(info)) new String(Files.readAllBytes(info)).split("\\s+").toSet
    else Set.empty
  }
  private def hasAvx2 = flags("avx2")
  private def hasAvx512 = flags("avx512dq")

  private val isOlderScala = Properties.versionNumberString.startsWith("2.12")
  private val thisJdk = Paths.get(System.getProperty("java.home"))

  private def jdks: Seq[Path] = {
    val beside = Option(thisJdk.getParent.toFile.listFiles).toSeq.flatten.map(_.toPath)
    val other = beside.find { jdk =>
      val release = jdk.resolve("release")
      !isOlderScala && !Files.isSymbolicLink(jdk) && Files.isReadable(release) &&
      new String(Files.readAllBytes(release)).contains("JAVA_VERSION=\"25")
    }
    (thisJdk +: other.toSeq).distinct
  }

  private final class Leg(output: Seq[String]) {
    val Seq(before, after, choice) = output
    private val chosen = choice
      .split(", (?=hashes|filter)")
      .map { text =>
        val (label, outcome) = text.splitAt(text.indexOf(": "))
        label -> outcome.drop(2)
      }
      .toMap
    def blocks: String = chosen("filter blocks")
    def hashes: Seq[String] = Seq(chosen("hashes of numbers"), chosen("hashes of byte strings"))
    def all: Seq[String] = blocks +: hashes
  }

  private def run(jdk: Path, options: String*): Leg = {
    val errors = new StringBuilder
    val java = jdk.resolve("bin").resolve("java").toString
    val classPath = System.getProperty("java.class.path") + File.pathSeparator +
      Seq(getClass, Kernels.getClass, classOf[Option[_]])
        .map(c => new File(c.getProtectionDomain.getCodeSource.getLocation.toURI).getPath)
        .mkString(File.pathSeparator)
    val command =
      java +: options :+ "-cp" :+ classPath :+ "io.sbbf.core.kernel.KernelSelectionMain"
    val lines = Process(command).lineStream_!(ProcessLogger(line => errors.append(line + "\n")))
    val leg = lines.toList
    assert(leg.size == 3, s"${options.mkString(" ")}: $errors")
    new Leg(leg)
  }

  private lazy val expected: String = run(thisJdk, "-Dsbbf.kernel=scalar").before

  private def leg(jdk: Path, what: String, options: String*)(check: Leg => Unit): Unit =
    test(s"JDK ${jdk.getFileName}, $what.") {
      val result = run(jdk, options: _*)
      info(result.choice)
      assert(result.before == expected && result.after == expected)
      check(result)
    }

  private def isMeasured(outcome: String): Boolean =
    outcome.contains("times")

  for (jdk <- jdks) {
    leg(jdk, "with the module", module) { leg =>
      if (hasAvx2) assert(leg.blocks.startsWith("vector (") && isMeasured(leg.blocks))
      // the faster loop depends on the CPU, even with AVX-512
      if (hasAvx512) assert(leg.hashes.forall(isMeasured))
      else assert(leg.hashes.forall(_.startsWith("scalar (vectors have ")))
    }
    leg(jdk, "without the module") { leg =>
      assert(
        leg.all.forall(_ ==
          "scalar (start the JVM with --add-modules=jdk.incubator.vector for the Vector API)"))
    }
    leg(jdk, "with vectors of 256 bits", module, "-XX:UseAVX=2") { leg =>
      if (hasAvx2) assert(leg.blocks.startsWith("vector ("))
      assert(leg.hashes.forall(_.startsWith("scalar (vectors have ")))
    }
    leg(jdk, "with C1 alone", module, "-XX:TieredStopAtLevel=1") { leg =>
      assert(leg.all.forall(_.startsWith("scalar (no C2 compiler")))
    }
    leg(jdk, "interpreted", module, "-Xint") { leg =>
      assert(leg.all.forall(_.startsWith("scalar (no C2 compiler")))
    }
    leg(jdk, "set to scalar", module, "-Dsbbf.kernel=scalar") { leg =>
      assert(leg.all.forall(_ == "scalar (as configured)"))
    }
    leg(jdk, "set to vector", module, "-Dsbbf.kernel=vector") { leg =>
      if (hasAvx512) assert(leg.all.forall(_ == "vector (as configured)"))
    }
    leg(jdk, "set to something unknown", "-Dsbbf.kernel=fast") { leg =>
      assert(leg.all.forall(_.startsWith("scalar (start the JVM with")))
    }
  }

  test("set to vector without the module, the scalar kernel runs and reports what is missing.") {
    val leg = run(thisJdk, "-Dsbbf.kernel=vector")
    assert(leg.after == expected)
    assert(leg.all.forall(_.startsWith("scalar (start the JVM with --add-modules")))
  }
}
