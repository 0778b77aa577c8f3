val scala213 = "2.13.16"
val scala212 = "2.12.18"

// One line per Spark line that a Scala version compiles against; both JARs come from the same sources.
def sparkVersion(scala: String): String = if (scala == scala212) "3.5.9" else "4.0.1"
def parquetVersion(scala: String): String = if (scala == scala212) "1.13.1" else "1.15.2"

// Bundled and relocated, so that every Spark line reads footers through the same thrift classes.
val parquetFormat = "org.apache.parquet" % "parquet-format-structures" % "1.17.0" excludeAll (
  ExclusionRule("org.slf4j"),
  ExclusionRule("javax.annotation"),
  ExclusionRule("jakarta.annotation"))

val testLibraries = Seq(
  "org.scalatest" %% "scalatest" % "3.2.19" % Test,
  "net.openhft" % "zero-allocation-hashing" % "0.27ea1" % Test)

ThisBuild / organization := "io.sbbf"
ThisBuild / organizationName := "the spark-sbbf developers"
ThisBuild / description :=
  "Fast key lookups on Parquet: Spark skips files and row groups before it schedules tasks"
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / version := IO.read(file("VERSION")).trim
ThisBuild / scalaVersion := scala213
ThisBuild / crossScalaVersions := Seq(scala213, scala212)

// What the wheel bundles.
addCommandAlias("assemblies", s"++$scala212; spark/assembly; ++$scala213; spark/assembly")

// Spark on a modern JDK reaches into these packages (its own launcher passes the same list).
val openPackages =
  """java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util
     java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs
     sun.security.action sun.util.calendar"""
    .split("\\s+")
    .map(p => s"--add-opens=java.base/$p=ALL-UNNAMED")
    .toSeq

// 'make test' sets SBBF_GATE. It runs no test with the tag FullRun and each random test a few times only
// (TestFiles.stride), on Scala 2.13; the JAR of 2.12 is tested by Spark 3.5's end-to-end tests.
val isGate = sys.env.contains("SBBF_GATE")

// The seconds of each suite in the last full run.
val seconds: Map[String, Double] = IO
  .readLines(file("tests/results/seconds.txt"))
  .filterNot(_.startsWith("#"))
  .map(_.split(" "))
  .collect { case Array(time, suite) => suite -> time.toDouble }
  .toMap

val common = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-encoding", "utf8"),
  scalacOptions ++= (
    if (scalaVersion.value == scala212)
      Seq("-Ywarn-unused", "-Xfatal-warnings", "-target:jvm-1.8")
    // the method that parquet-java 1.13, Spark 3.5's, has no other for
    else Seq("-Wunused", "-Werror", "-Wconf:cat=deprecation&origin=.*\\.WriteSupport\\.init:s")
  ),
  // traces have lines; the names of local variables would be a twentieth of the JARs
  Compile / scalacOptions += "-g:line",
  Test / scalacOptions --= Seq("-Xfatal-warnings", "-Werror"),
  // for scalafix, which needs one Scala version only
  semanticdbEnabled := scalaVersion.value == scala213,
  semanticdbVersion := scalafixSemanticdb.revision,
  libraryDependencies ++= testLibraries,
  Test / fork := true,
  Test / parallelExecution := false,
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / javaOptions ++= Seq("-Xmx2g", "--add-modules=jdk.incubator.vector") ++ openPackages,
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
  Test / testReportsDirectory :=
    (ThisBuild / baseDirectory).value / "build" / "reports" / sys.env
      .getOrElse("SBBF_REPORTS", "jvm") /
      scalaVersion.value / name.value,
  Test / testOptions ++= (
    if (isGate)
      Seq(Tests.Argument(TestFrameworks.ScalaTest, "-l", "io.sbbf.FullRun"))
    else Nil
  )
)

// Suites of Spark leave a core idle: two JVMs take half of their seconds each, the longest first. Without
// C2, whose threads would take the CPU from both; the Vector API needs it, so those who ask for vectors
// have it.
val needVectors = Set("io.sbbf.spark.util.KernelChoiceSuite")
val inTwoJvms = Def.task {
  def cost(test: TestDefinition) = seconds.getOrElse(test.name, 5.0)
  val (vectors, others) =
    (Test / definedTests).value
      .sortBy(-cost(_))
      .partition(test => needVectors(test.name))
  val options = (Test / forkOptions).value
  def group(name: String, tests: Seq[TestDefinition], more: String*) =
    Tests.Group(
      name,
      tests,
      Tests.SubProcess(options.withRunJVMOptions(options.runJVMOptions ++ more)))
  val (one, other) = others.foldLeft((Seq.empty[TestDefinition], Seq.empty[TestDefinition])) {
    case ((one, other), test) =>
      if (one.map(cost).sum <= other.map(cost).sum) (one :+ test, other) else (one, other :+ test)
  }
  val halves = Seq(one, other).zipWithIndex.map { case (half, n) =>
    // without C2, a JVM reserves 48 MB for compiled code: too little for all suites
    group(s"half $n", half, "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
  }
  group("vectors", vectors) +: halves
}

// sbt's own rules, but for two JVMs with tests instead of one, of whatever module
Global / concurrentRestrictions := Seq(
  Tags.limitAll(java.lang.Runtime.getRuntime.availableProcessors),
  Tags.limit(Tags.ForkedTestGroup, 2),
  Tags.exclusiveGroup(Tags.Clean))

// What users fetch by its coordinates: one JAR of all modules, which needs Spark alone.
lazy val root = (project in file("."))
  .aggregate(core, parquet, index, orc, spark, bench)
  .settings(
    name := "spark-sbbf",
    autoScalaLibrary := false, // Spark's
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion(
      scalaVersion.value) % Provided,
    pomExtra := <developers><developer><name>the spark-sbbf developers</name></developer></developers>,
    Compile / packageBin := (spark / assembly).value,
    Compile / packageSrc / mappings :=
      (Compile / packageSrc / mappings).all(modules).value.flatten,
    Compile / doc / sources := (Compile / sources).all(modules).value.flatten,
    Compile / doc / dependencyClasspath := (spark / Compile / dependencyClasspath).value,
    Compile / doc / scalacOptions ++=
      s"-doc-title ${name.value} -doc-version ${version.value} -no-link-warnings".split(" ").toSeq
  )
lazy val modules = ScopeFilter(inProjects(core, parquet, index, orc, spark))

lazy val core = (project in file("jvm/core"))
  .settings(common)
  .settings(
    name := "sbbf-core",
    publish / skip := true,
    Compile / javacOptions ++= Seq("--release", "11"),
    libraryDependencies += "org.apache.parquet" % "parquet-column" % parquetVersion(
      scalaVersion.value) % Test
  )

lazy val parquet = (project in file("jvm/parquet"))
  .dependsOn(core % "compile->compile;test->test")
  .settings(common)
  .settings(
    name := "sbbf-parquet",
    publish / skip := true,
    libraryDependencies ++= Seq(
      parquetFormat,
      "org.apache.parquet" % "parquet-hadoop" % parquetVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-api" % hadoopVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-runtime" % hadoopVersion(scalaVersion.value) % Provided
    )
  )

def hadoopVersion(scala: String): String = if (scala == scala212) "3.3.4" else "3.4.1"

lazy val index = (project in file("jvm/index"))
  .dependsOn(core, parquet % "compile->compile;test->test")
  .settings(common)
  .settings(
    name := "sbbf-index",
    publish / skip := true,
    libraryDependencies ++= Seq(
      "org.apache.parquet" % "parquet-hadoop" % parquetVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-api" % hadoopVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-runtime" % hadoopVersion(
        scalaVersion.value) % Provided,
      // Spark 3.5's, the oldest
      "com.fasterxml.jackson.core" % "jackson-databind" % "2.15.2" % Provided
    )
  )

// Spark's own ORC, with protobuf's classes under ORC's names as in its distribution
def orcLibraries(scala: String): Seq[ModuleID] = {
  def shaded(name: String, version: String) =
    "org.apache.orc" % name % version % Provided classifier "shaded-protobuf" excludeAll (
      ExclusionRule("org.apache.orc", "orc-format"),
      ExclusionRule("com.google.protobuf"))
  val hive = "org.apache.hive" % "hive-storage-api" % "2.8.1" % Provided
  if (scala == scala212) Seq(shaded("orc-core", "1.9.8"), hive)
  else Seq(shaded("orc-core", "2.1.3"), shaded("orc-format", "1.1.1"), hive)
}

lazy val orc = (project in file("jvm/orc"))
  .dependsOn(core, parquet % "compile->compile;test->test")
  .settings(common)
  .settings(
    name := "sbbf-orc",
    publish / skip := true,
    libraryDependencies ++= orcLibraries(scalaVersion.value),
    libraryDependencies ++= Seq(
      "org.apache.parquet" % "parquet-hadoop" % parquetVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-api" % hadoopVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-runtime" % hadoopVersion(scalaVersion.value) % Provided
    )
  )

lazy val spark = (project in file("jvm/spark"))
  .dependsOn(core, parquet % "compile->compile;test->test", index, orc)
  .settings(common)
  .settings(
    name := "sbbf-spark",
    publish / skip := true,
    Test / testGrouping := inTwoJvms.value,
    Test / parallelExecution := true, // of groups; the suites of one take turns
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion(scalaVersion.value) % Provided,
      "org.apache.hadoop" % "hadoop-client-minicluster" % hadoopVersion(scalaVersion.value) % Test
    ),
    assembly / assemblyJarName := s"spark-sbbf_${scalaBinaryVersion.value}-${version.value}.jar",
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    assembly / test := {},
    Compile / resourceGenerators += Def.task {
      val licence = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
      IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", licence)
      Seq(licence)
    },
    assembly / assemblyShadeRules := Seq(
      // the host's parquet-mr decrypts: what its public methods name must stay the host's
      ShadeRule
        .rename(
          "org.apache.parquet.format.BlockCipher" -> "org.apache.parquet.format.BlockCipher",
          "org.apache.parquet.format.BlockCipher*" -> "org.apache.parquet.format.BlockCipher@1",
          "org.apache.parquet.format.converter.**" -> "org.apache.parquet.format.converter.@1"
        )
        .inAll,
      ShadeRule
        .rename("org.apache.parquet.format.**" -> "io.sbbf.shaded.parquet.format.@1")
        .inAll,
      ShadeRule.rename("shaded.parquet.**" -> "io.sbbf.shaded.@1").inAll
    ),
    assembly / assemblyMergeStrategy := {
      case PathList("META-INF", "services", _*) => MergeStrategy.concat
      case PathList("META-INF", "NOTICE" | "LICENSE") => MergeStrategy.concat
      case PathList("META-INF", _*) => MergeStrategy.discard
      case PathList("org", "apache", "parquet", _*) => MergeStrategy.discard
      case "parquet.thrift" => MergeStrategy.discard // the source of generated classes
      case _ => MergeStrategy.deduplicate
    }
  )

lazy val bench = (project in file("jvm/bench"))
  .dependsOn(core)
  .enablePlugins(JmhPlugin)
  .settings(common)
  .settings(
    name := "sbbf-bench",
    publish / skip := true,
    libraryDependencies ++= Seq(
      "net.openhft" % "zero-allocation-hashing" % "0.27ea1",
      "org.apache.parquet" % "parquet-column" % "1.17.0"
    ) // the newest, whatever Spark has
  )

// Spark's own SQL suites, which 'make test-spark' runs: their class path, and nothing to compile.
val suitesOf = sys.env.getOrElse("SPARK_SUITES", "4.1.1")
val isSuitesOf35 = suitesOf.startsWith("3.5.")
// versions of Spark's own parent POM
val suitesHelpers =
  if (isSuitesOf35)
    Seq(
      "org.scalatest" %% "scalatest" % "3.2.16",
      "org.scalatestplus" %% "scalacheck-1-17" % "3.2.16.0",
      "org.scalatestplus" %% "mockito-4-11" % "3.2.16.0",
      "org.mockito" % "mockito-core" % "4.11.0"
    )
  else
    Seq(
      "org.scalatest" %% "scalatest" % "3.2.19",
      "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
      "org.scalatestplus" %% "mockito-5-12" % "3.2.19.0",
      "org.mockito" % "mockito-core" % "5.12.0"
    )
val suitesParquet =
  if (isSuitesOf35) "1.13.1" else if (suitesOf.startsWith("4.0.")) "1.15.2" else "1.16.0"
val suitesModules =
  Seq("spark-sql", "spark-hive", "spark-catalyst", "spark-core", "spark-tags") ++
    (if (isSuitesOf35) Nil else Seq("spark-sql-api", "spark-common-utils"))

lazy val sparkSuites = (project in file("tests/spark_suites"))
  .settings(
    name := "spark-suites",
    publish / skip := true,
    scalaVersion := (if (isSuitesOf35) scala212 else scala213),
    crossScalaVersions := Nil,
    libraryDependencies ++= Seq("spark-sql", "spark-hive").map(
      "org.apache.spark" %% _ % suitesOf),
    libraryDependencies ++= suitesModules.map(
      "org.apache.spark" %% _ % suitesOf classifier "tests"),
    libraryDependencies ++= Seq(
      "org.apache.parquet" % "parquet-avro" % suitesParquet,
      "org.apache.parquet" % "parquet-column" % suitesParquet classifier "tests",
      "org.apache.parquet" % "parquet-hadoop" % suitesParquet classifier "tests"
    ),
    libraryDependencies ++= suitesHelpers,
    // not published for every version, and no suite needs them
    excludeDependencies ++= Seq("spark-connect-shims_2.13", "spark-pipelines_2.13").map(
      ExclusionRule("org.apache.spark", _)),
    allowUnsafeScalaLibUpgrade := true // the newer library of Spark 4.1; nothing is compiled
  )

// Iceberg's own tests, which 'make test-iceberg' runs, with what they need in the versions of Iceberg's own build. Its
// modules name Parquet's and ORC's classes, where users have copies under Iceberg's names in one JAR.
val icebergOf = "1.10.0"
val icebergSpark = "4.0.2"
val icebergModules =
  Seq("api", "core", "data", "hive-metastore", "spark-4.0_2.13", "spark-extensions-4.0_2.13")
    .map(name => "org.apache.iceberg" % s"iceberg-$name" % icebergOf)

lazy val icebergSuites = (project in file("tests/iceberg_suites"))
  .settings(
    name := "iceberg-suites",
    publish / skip := true,
    crossScalaVersions := Nil,
    // before Spark's, which has the same classes with others in their signatures
    libraryDependencies ++= Seq(
      "org.apache.orc" % "orc-core" % "2.1.4" classifier "nohive",
      "org.apache.orc" % "orc-format" % "1.1.1" classifier "shaded-protobuf"),
    libraryDependencies ++= icebergModules ++ icebergModules.map(_ classifier "tests"),
    libraryDependencies ++= Seq("spark-sql", "spark-hive").map(
      "org.apache.spark" %% _ % icebergSpark),
    libraryDependencies ++= Seq(
      "org.apache.iceberg" % "iceberg-open-api" % icebergOf classifier "test-fixtures",
      "org.junit.platform" % "junit-platform-console" % "1.13.4",
      "org.junit.jupiter" % "junit-jupiter" % "5.13.4",
      "org.mockito" % "mockito-inline" % "4.11.0",
      "org.assertj" % "assertj-core" % "3.27.4",
      "org.awaitility" % "awaitility" % "4.3.0",
      "org.eclipse.jetty" % "jetty-servlet" % "11.0.26",
      "org.xerial" % "sqlite-jdbc" % "3.50.3.0"
    ),
    // Spark's, where a module of Iceberg brings a newer part of the same family
    dependencyOverrides ++=
      Seq("core", "databind", "annotations").map(name =>
        "com.fasterxml.jackson.core" % s"jackson-$name" % "2.18.2") ++
        Seq("buffer", "common").map(name => "io.netty" % s"netty-$name" % "4.1.118.Final"),
    allowUnsafeScalaLibUpgrade := true
  )
