package io.sbbf.core.kernel

/**
 * What can be known of this JVM without touching the Vector API. Without closures and parsers,
 * because the first query waits for it.
 */
private[kernel] object Platform {

  /** Why the Vector API cannot be had, or be fast, in this JVM, if so. */
  lazy val obstacle: Option[String] =
    if (!hasVectors) Some("the Vector API wants Java 17 or later")
    else if (!hasModule)
      Some("start the JVM with --add-modules=jdk.incubator.vector for the Vector API")
    else if (!hasC2) Some(s"no C2 compiler: $vmName, $vmInfo")
    else None

  private def vmName: String = System.getProperty("java.vm.name", "")

  /** `mixed mode, sharing`; C1 alone says `emulated-client`, the interpreter `interpreted mode`. */
  private def vmInfo: String = System.getProperty("java.vm.info", "")

  /** Java 16 has another API in that module; before, the option to add it stops the JVM. */
  private def hasVectors: Boolean = Runtime.version.feature >= 17

  private def hasModule: Boolean =
    ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent

  /** Other compilers, and C1, take ten to hundred times as long for vector as for scalar code. */
  private def hasC2: Boolean =
    vmName.contains("Server VM") && !vmName.contains("OpenJ9") &&
      !vmInfo.contains("emulated-client") && !vmInfo.contains("interpreted mode")
}
