package io.sbbf.spark.append

import java.security.PrivilegedExceptionAction
import java.util.{Arrays, List => JList}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.{
  AclEntry,
  AclEntryScope,
  AclEntryType,
  FsAction,
  FsPermission
}
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.hdfs.{DistributedFileSystem, MiniDFSCluster}
import org.apache.hadoop.security.UserGroupInformation

import io.sbbf.parquet.model.FileVersion
import io.sbbf.spark.append.AddFiltersOutcome.{Done, Refused, Status}
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.TableFiles

/** Tests that files on HDFS get filters, when written or later, and keep everything else. */
class HdfsSuite extends SparkSuite with ChangesFilters {
  private lazy val cluster: MiniDFSCluster = {
    val conf = new Configuration
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, path("hdfs"))
    conf.set("dfs.namenode.acls.enabled", "true")
    new MiniDFSCluster.Builder(conf).numDataNodes(1).build()
  }

  private lazy val hdfs: DistributedFileSystem = cluster.getFileSystem

  override protected def afterAll(): Unit = {
    cluster.shutdown()
    super.afterAll()
  }

  /** Writes even keys in two files. */
  private def written(name: String, options: Map[String, String] = Map.empty): String = {
    val table = s"${hdfs.getUri}/$name"
    spark
      .range(0, 2000, 1, 2)
      .selectExpr("id * 7919 % 2000 * 2 AS key")
      .write
      .options(options)
      .parquet(table)
    table
  }

  private def statuses(table: String): Seq[FileStatus] =
    new TableFiles(table, spark.sessionState.newHadoopConf()).data

  private def kept(table: String, key: Int): Int =
    spark.read.parquet(table).where(s"key = $key").inputFiles.length

  private def namesIn(table: String): Set[String] =
    hdfs.listStatus(new Path(table)).map(_.getPath.getName).toSet

  private def outcomes(table: String): Seq[Status] = add(table, "key")().map(_.status)

  test("a writer's files have its filters.") {
    val table = written("written", enable("key"))
    assert(kept(table, 1001) == 0 && kept(table, 1002) == 1)
    assert(spark.read.parquet(table).distinct().count() == 2000)
  }

  test(
    "files that get filters keep their owner, permissions, times and replication, without leftovers.") {
    val table = written("changed")
    assert(kept(table, 1001) == 2)
    val Seq(first, second) = statuses(table)
    hdfs.setOwner(first.getPath, "somebody", "else")
    hdfs.setPermission(
      first.getPath,
      new FsPermission(FsAction.READ_WRITE, FsAction.READ, FsAction.NONE))
    hdfs.setReplication(second.getPath, 2)
    hdfs.setTimes(second.getPath, 1234567890123L, -1)
    def attributes = statuses(table).map { file =>
      (
        file.getOwner,
        file.getGroup,
        file.getPermission,
        file.getReplication,
        file.getModificationTime,
        file.getBlockSize)
    }
    val (before, names) = (attributes, namesIn(table))
    val planned = spark.read.parquet(table).where("key >= 0")
    planned.queryExecution.executedPlan
    assert(outcomes(table) == Seq(Done, Done))
    assert(attributes == before && namesIn(table) == names)
    assert(kept(table, 1001) == 0 && kept(table, 1002) == 1)
    assert(
      spark.read.parquet(table).distinct().count() == 2000 && planned.distinct().count() == 2000)
  }

  /** Grants read access to the user `somebody`. */
  private def readable(scope: AclEntryScope): JList[AclEntry] =
    Arrays.asList(
      new AclEntry.Builder()
        .setScope(scope)
        .setType(AclEntryType.USER)
        .setName("somebody")
        .setPermission(FsAction.READ)
        .build())

  test("a file with an access control list is refused, and the others get their filters.") {
    val table = written("listed")
    hdfs.modifyAclEntries(statuses(table).head.getPath, readable(AclEntryScope.ACCESS))
    assert(outcomes(table) == Seq(Refused, Done))
  }

  test("a file that gets filters does not get the default list of its folder.") {
    val table = written("defaults")
    hdfs.modifyAclEntries(new Path(table), readable(AclEntryScope.DEFAULT))
    assert(outcomes(table) == Seq(Done, Done))
    assert(statuses(table).forall(!_.hasAcl))
  }

  test("a file that this user cannot give to its owner stays as it is.") {
    val table = written("another's")
    val Seq(first, _) = statuses(table)
    hdfs.setPermission(new Path(table), new FsPermission("777"))
    hdfs.setOwner(first.getPath, "somebody", "else")
    val before = statuses(table).map(file => file.getPath.getName -> file.getLen).toMap
    val conf = spark.sessionState.newHadoopConf()
    val edits = FilterRequests.of(enable("key") + ("table" -> table)).edits(1)
    val asVisitor = new PrivilegedExceptionAction[Seq[AddFiltersOutcome]] {
      override def run(): Seq[AddFiltersOutcome] = statuses(table).map { file =>
        ListedFile(FileVersion.of(file)).planned(edits, conf).addFilters(conf)
      }
    }
    val outcomes = UserGroupInformation.createRemoteUser("visitor").doAs(asVisitor)
    assert(
      outcomes.forall(_.reason.contains("this user cannot give files to its owner")),
      outcomes)
    assert(statuses(table).map(file => file.getPath.getName -> file.getLen).toMap == before)
    assert(!namesIn(table).exists(_.contains(".sbbf-tmp")))
  }
}
