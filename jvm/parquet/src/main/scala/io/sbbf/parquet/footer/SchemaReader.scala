package io.sbbf.parquet.footer

import java.util

import org.apache.parquet.format.{
  ConvertedType,
  FieldRepetitionType,
  LogicalType,
  MicroSeconds,
  SchemaElement,
  TimeUnit,
  TimestampType,
  Type
}

import io.sbbf.parquet.model.{
  Collection,
  ColumnType,
  FileSchema,
  Logical,
  Physical,
  RebaseMetadata,
  SchemaNode,
  UnusableFile
}

/** Builds a [[FileSchema]] from the flattened schema tree of a footer. */
private[parquet] final class SchemaReader(
    elements: util.List[SchemaElement],
    writer: RebaseMetadata) {
  import SchemaReader._

  private var next = 0
  private var columns = 0

  /**
   * Returns the schema.
   *
   * @throws UnusableFile if the elements do not form a tree
   */
  def read(): FileSchema = {
    if (elements.isEmpty) refuse()
    next = 1
    val root = elements.get(0)
    val children = readChildren(root, Vector.empty, isNullable = false, isFlat = true)
    if (next != elements.size) refuse()
    FileSchema(
      SchemaNode(
        path = Vector.empty,
        fieldId = None,
        collection = Collection.None,
        isRepeated = false,
        children,
        column = -1,
        columnType = null,
        isNullable = false,
        isFlat = true))
  }

  private def readChildren(
      parent: SchemaElement,
      path: Vector[String],
      isNullable: Boolean,
      isFlat: Boolean): Vector[SchemaNode] = {
    val count = parent.getNum_children
    if (count < 0 || count > elements.size - next || path.length > MaxDepth) refuse()
    val children = Vector.newBuilder[SchemaNode]
    var left = count
    while (left > 0) {
      children += readNode(path, isNullable, isFlat)
      left -= 1
    }
    children.result()
  }

  private def readNode(
      parent: Vector[String],
      parentNullable: Boolean,
      parentFlat: Boolean): SchemaNode = {
    if (next >= elements.size) refuse()
    val element = elements.get(next)
    next += 1
    val path = parent :+ element.getName
    val repetition = element.getRepetition_type
    val isNullable = parentNullable || repetition != FieldRepetitionType.REQUIRED
    val collection = collectionOf(element)
    val isRepeated = repetition == FieldRepetitionType.REPEATED
    val isFlat = parentFlat && !isRepeated && collection == Collection.None
    val isLeaf = element.isSetType
    if (isLeaf && element.getNum_children > 0) refuse()
    if (isLeaf) columns += 1
    val column = if (isLeaf) columns - 1 else -1
    SchemaNode(
      path,
      if (element.isSetField_id) Some(element.getField_id) else None,
      collection,
      isRepeated,
      if (isLeaf) Vector.empty else readChildren(element, path, isNullable, isFlat),
      column,
      if (isLeaf) columnType(element, writer) else null,
      isNullable,
      isFlat
    )
  }
}

private[parquet] object SchemaReader {

  /** Limits the stack that a damaged schema can take. Real schemas nest only a few levels. */
  private val MaxDepth = 200

  private def refuse(): Nothing = throw new UnusableFile("damaged schema")

  private def collectionOf(element: SchemaElement): Collection = {
    val annotation = element.getLogicalType
    val legacy = element.getConverted_type
    val isList =
      annotation != null && annotation.isSetLIST || legacy == ConvertedType.LIST
    val isMap = annotation != null && annotation.isSetMAP ||
      legacy == ConvertedType.MAP || legacy == ConvertedType.MAP_KEY_VALUE
    if (isList && isMap) Collection.Unclear
    else if (isList) Collection.List
    else if (isMap) Collection.Map
    else Collection.None
  }

  private def columnType(element: SchemaElement, writer: RebaseMetadata): ColumnType = {
    val physical = element.getType match {
      case Type.BOOLEAN => Physical.Bool
      case Type.INT32 => Physical.Int32
      case Type.INT64 => Physical.Int64
      case Type.INT96 => Physical.Int96
      case Type.FLOAT => Physical.Float32
      case Type.DOUBLE => Physical.Float64
      case Type.BYTE_ARRAY => Physical.Bytes
      case Type.FIXED_LEN_BYTE_ARRAY =>
        if (element.getType_length <= 0) refuse()
        Physical.FixedBytes(element.getType_length)
    }
    val annotation =
      if (element.isSetLogicalType) logical(element, writer) else converted(element, writer)
    val isSparkInstant =
      physical == Physical.Int96 && annotation == Logical.Plain && writer.isSparkInt96
    ColumnType(physical, if (isSparkInstant) Logical.SparkInt96 else annotation)
  }

  /**
   * Returns an optional column of a type in which Spark writes integers, texts, bytes, decimals,
   * dates and timestamps. Inverse of [[columnType]].
   */
  def element(name: String, columnType: ColumnType): SchemaElement = {
    val element = new SchemaElement(name).setRepetition_type(FieldRepetitionType.OPTIONAL)
    columnType.physical match {
      case Physical.Int32 => element.setType(Type.INT32)
      case Physical.Int64 => element.setType(Type.INT64)
      case Physical.FixedBytes(length) =>
        element.setType(Type.FIXED_LEN_BYTE_ARRAY).setType_length(length)
      case _ => element.setType(Type.BYTE_ARRAY)
    }
    columnType.logical match {
      case Logical.Integer(8, _) => element.setConverted_type(ConvertedType.INT_8)
      case Logical.Integer(_, _) => element.setConverted_type(ConvertedType.INT_16)
      case Logical.Text => element.setConverted_type(ConvertedType.UTF8)
      case Logical.Date(_) => element.setConverted_type(ConvertedType.DATE)
      case Logical.Timestamp(_, utc, _) =>
        val unit = TimeUnit.MICROS(new MicroSeconds)
        element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(utc, unit)))
      case Logical.Decimal(precision, scale) =>
        element.setConverted_type(ConvertedType.DECIMAL).setPrecision(precision).setScale(scale)
      case _ => element
    }
  }

  /** Returns `Other` for annotations that this version of the format does not know. */
  private def logical(element: SchemaElement, writer: RebaseMetadata): Logical = {
    val annotation = element.getLogicalType
    if (annotation.isSetSTRING || annotation.isSetENUM || annotation.isSetJSON) Logical.Text
    else if (annotation.isSetBSON) Logical.Bson
    else if (annotation.isSetDATE) Logical.Date(writer.mayRebase)
    else if (annotation.isSetINTEGER) {
      val integer = annotation.getINTEGER
      Logical.Integer(integer.getBitWidth.toInt, integer.isIsSigned)
    } else if (annotation.isSetDECIMAL)
      Logical.Decimal(annotation.getDECIMAL.getPrecision, annotation.getDECIMAL.getScale)
    else if (annotation.isSetTIMESTAMP) {
      val (unit, utc) =
        (annotation.getTIMESTAMP.getUnit, annotation.getTIMESTAMP.isIsAdjustedToUTC)
      val perMilli = if (unit.isSetMILLIS) 1 else if (unit.isSetMICROS) 1000 else 1000000
      Logical.Timestamp(perMilli, utc, writer.mayRebase)
    } else if (annotation.isSetTIME && annotation.getTIME.getUnit.isSetMICROS) Logical.TimeMicros
    else if (annotation.isSetUUID) Logical.Plain // compared as plain bytes
    else Logical.Other
  }

  /**
   * Returns the annotation of a file without logical types, which older writers produce
   * (LogicalTypes.md, compatibility).
   */
  private def converted(element: SchemaElement, writer: RebaseMetadata): Logical = {
    import ConvertedType._
    element.getConverted_type match {
      case null => Logical.Plain
      case UTF8 | ENUM | JSON => Logical.Text
      case BSON => Logical.Bson
      case DATE => Logical.Date(writer.mayRebase)
      case INT_8 => Logical.Integer(8, signed = true)
      case INT_16 => Logical.Integer(16, signed = true)
      case INT_32 => Logical.Integer(32, signed = true)
      case INT_64 => Logical.Integer(64, signed = true)
      case UINT_8 => Logical.Integer(8, signed = false)
      case UINT_16 => Logical.Integer(16, signed = false)
      case UINT_32 => Logical.Integer(32, signed = false)
      case UINT_64 => Logical.Integer(64, signed = false)
      case DECIMAL => Logical.Decimal(element.getPrecision, element.getScale)
      case TIMESTAMP_MILLIS => Logical.Timestamp(1, utc = true, writer.mayRebase)
      case TIMESTAMP_MICROS => Logical.Timestamp(1000, utc = true, writer.mayRebase)
      case TIME_MICROS => Logical.TimeMicros
      case _ => Logical.Other
    }
  }
}
