package io.sbbf.core
package kernel

/** What can be known of this JVM without touching the Vector API. */
private[kernel] object Platform {

  /** Why the Vector API cannot be had, or be fast, in this JVM; None if nothing speaks against it. */
  lazy val obstacle: Option[String] =
    if (!hasModule)
      Some("start the JVM with --add-modules=jdk.incubator.vector for the Vector API")
    else if (!hasC2) Some(s"no C2 compiler: $vmName, $vmInfo")
    else None

  private def vmName: String = sys.props.getOrElse("java.vm.name", "")

  /** `mixed mode, sharing`; C1 alone says `emulated-client`, the interpreter `interpreted mode`. */
  private def vmInfo: String = sys.props.getOrElse("java.vm.info", "")

  private def hasModule: Boolean =
    try ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent
    catch { case _: LinkageError => false } // JDK 8

  /** Other compilers, and C1, take ten to hundred times as long for vector as for scalar code. */
  private def hasC2: Boolean =
    vmName.contains("Server VM") && !vmName.contains("OpenJ9") &&
      !vmInfo.contains("emulated-client") && !vmInfo.contains("interpreted mode")
}
