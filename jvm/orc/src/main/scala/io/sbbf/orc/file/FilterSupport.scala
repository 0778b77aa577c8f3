package io.sbbf.orc.file

import org.apache.orc.OrcProto

/** Recognizes files whose bloom filters are wrong. */
private[file] object FilterSupport {

  /** The number of ORC's C++ writer in a footer (`orc_proto.proto`, `Footer.writer`). */
  final val CppWriter = 1

  private val badCppVersions: Set[String] = (0 to 11).map(n => s"1.6.$n").toSet + "1.7.0"

  /**
   * Returns whether the file's filters may lack values: those of the C++ writer before 1.6.12 and
   * 1.7.1, which hashed negative numbers otherwise (ORC-1024). It writes its version since 1.6.11.
   */
  def isWrong(footer: OrcProto.Footer): Boolean =
    footer.getWriter == CppWriter && (!footer.hasSoftwareVersion ||
      badCppVersions(footer.getSoftwareVersion.takeWhile(_ != '-')))
}
