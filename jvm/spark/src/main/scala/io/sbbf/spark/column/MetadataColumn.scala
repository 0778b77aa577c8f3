package io.sbbf.spark.column

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, FileSourceMetadataAttribute}

private[spark] object MetadataColumn {

  /**
   * Whether an attribute is `_metadata` or a part of it, and not a column of the files. Spark also
   * marks other attributes as metadata columns: the second key of a join by USING.
   */
  def is(attribute: AttributeReference): Boolean =
    FileSourceMetadataAttribute.unapply(attribute).isDefined
}
