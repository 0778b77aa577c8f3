package io.sbbf.parquet.write

import java.io.IOException

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.parquet.schema.{MessageType, Type}

import io.sbbf.parquet.values.{PageValues, ValueHasher}

/**
 * Builds the filters of a file while parquet-mr writes it, from the values of its pages. Not
 * thread-safe.
 *
 * @param requests the wanted filters, at most one request for each column
 */
private[parquet] final class FileFilters(schema: MessageType, requests: Seq[FilterRequest]) {
  import FileFilters._

  private val builders =
    requests.map(request => request.column -> new FilterBuilder(request)).toMap
  private val root = {
    val leaves = Iterator.from(0)
    tree(schema, () => builders.get(leaves.next()).map(_.values).orNull)
  }
  private val deepest = schema.getPaths.stream().mapToInt(_.length).max().getAsInt
  private val done = Seq.newBuilder[ChunkFilter]
  private var pages = Map.empty[Int, PageValues]
  private var failure = Option.empty[Exception]
  private var rowGroups = 0
  private var rows = 0L

  /**
   * Begins a row group.
   *
   * @param consumer the consumer that writes the rows of the row group
   * @return the consumer to use instead of `consumer`
   */
  def begin(consumer: RecordConsumer): RecordConsumer = {
    end()
    pages = builders.map { case (column, builder) =>
      column -> new PageValues(schema.getColumns.get(column), builder.values)
    }
    if (PageTap.watch(consumer, pages, note)) consumer else new Tap(consumer)
  }

  /** Counts a row of the row group. */
  def row(): Unit = rows += 1

  /**
   * Ends the file and returns its filters.
   *
   * @throws Exception if the values of a page could not be read
   */
  def result(): Seq[ChunkFilter] = {
    end()
    failure.foreach(throw _)
    done.result()
  }

  /** Ends a row group. parquet-mr never writes a row group without rows. */
  private def end(): Unit = if (rows > 0) {
    try pages.values.foreach(_.end())
    catch { case e: IOException => note(e) }
    builders.foreach { case (column, builder) =>
      builder.result().foreach(bitset => done += ChunkFilter(rowGroups, column, bitset))
    }
    rowGroups += 1
    rows = 0
  }

  private def note(e: Exception): Unit = if (failure.isEmpty) failure = Some(e)

  /**
   * Passes everything to `consumer`, and the values of the wanted columns also to their filters.
   */
  private final class Tap(consumer: RecordConsumer) extends RecordConsumer {
    // The nodes on the path to the current field; null where no wanted column is below.
    private val nodes = new Array[Node](deepest + 1)
    private var depth = 0
    private var values: ValueHasher = _

    override def startMessage(): Unit = {
      nodes(0) = root
      depth = 0
      consumer.startMessage()
    }

    override def startField(name: String, index: Int): Unit = {
      val parent = nodes(depth)
      depth += 1
      val node = if (parent == null) null else parent.children(index)
      nodes(depth) = node
      values = if (node == null) null else node.values
      consumer.startField(name, index)
    }

    override def endField(name: String, index: Int): Unit = {
      depth -= 1
      consumer.endField(name, index)
    }

    override def endMessage(): Unit = consumer.endMessage()
    override def startGroup(): Unit = consumer.startGroup()
    override def endGroup(): Unit = consumer.endGroup()
    override def flush(): Unit = consumer.flush()

    override def addInteger(value: Int): Unit = {
      if (values != null) values.addInt(value)
      consumer.addInteger(value)
    }

    override def addLong(value: Long): Unit = {
      if (values != null) values.addLong(value)
      consumer.addLong(value)
    }

    override def addFloat(value: Float): Unit = {
      if (values != null) values.addFloat(value)
      consumer.addFloat(value)
    }

    override def addDouble(value: Double): Unit = {
      if (values != null) values.addDouble(value)
      consumer.addDouble(value)
    }

    override def addBinary(value: Binary): Unit = {
      if (values != null) values.addBytes(value)
      consumer.addBinary(value)
    }

    override def addBoolean(value: Boolean): Unit = consumer.addBoolean(value)
  }
}

private[parquet] object FileFilters {

  private final class Node(val children: Array[Node], val values: ValueHasher)

  /**
   * Returns the tree of a field's wanted leaves, or null if none is wanted. It calls `leaf` in
   * the order in which the schema numbers the leaves.
   */
  private def tree(field: Type, leaf: () => ValueHasher): Node =
    if (field.isPrimitive) Option(leaf()).map(new Node(Array.empty, _)).orNull
    else {
      val group = field.asGroupType
      val children = Array.tabulate(group.getFieldCount)(n => tree(group.getType(n), leaf))
      if (children.forall(_ == null)) null else new Node(children, null)
    }
}
