package io.sbbf.core.kernel

/**
 * Reports facts about this JVM without touching the Vector API. Uses no closures and parsers,
 * because the first query waits for it.
 */
private[kernel] object Platform {

  /** Why the Vector API is missing or slow in this JVM, if so. */
  lazy val obstacle: Option[String] =
    if (!hasVectors) Some("the Vector API requires Java 17 or later")
    else if (!hasModule)
      Some("start the JVM with --add-modules=jdk.incubator.vector for the Vector API")
    else if (!hasC2) Some(s"no C2 compiler: $vmName, $vmInfo")
    else None

  private def vmName: String = System.getProperty("java.vm.name", "")

  /**
   * `mixed mode, sharing`; C1 alone reports `emulated-client`, the interpreter
   * `interpreted mode`.
   */
  private def vmInfo: String = System.getProperty("java.vm.info", "")

  /**
   * Java 16 has an incompatible API in that module. Before Java 16, the option that adds the
   * module stops the JVM.
   */
  private def hasVectors: Boolean = Runtime.version.feature >= 17

  private def hasModule: Boolean =
    ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent

  /**
   * Under C1 and other compilers, vector code takes ten to a hundred times as long as scalar
   * code.
   */
  private def hasC2: Boolean =
    vmName.contains("Server VM") && !vmName.contains("OpenJ9") &&
      !vmInfo.contains("emulated-client") && !vmInfo.contains("interpreted mode")
}
