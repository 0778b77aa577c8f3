package io.sbbf.spark.column

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY

private[spark] object MetadataColumn {

  /** Whether an attribute is `_metadata` or a part of it, and not a column of the files. */
  def is(attribute: AttributeReference): Boolean =
    attribute.metadata.contains(METADATA_COL_ATTR_KEY)
}
