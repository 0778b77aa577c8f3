import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.storage.common.type.HiveDecimal;
import org.apache.orc.storage.ql.exec.vector.BytesColumnVector;
import org.apache.orc.storage.ql.exec.vector.DecimalColumnVector;
import org.apache.orc.storage.ql.exec.vector.DoubleColumnVector;
import org.apache.orc.storage.ql.exec.vector.LongColumnVector;
import org.apache.orc.storage.ql.exec.vector.TimestampColumnVector;
import org.apache.orc.storage.ql.exec.vector.VectorizedRowBatch;

/**
 * Writes one ORC file of three stripes with bloom filters, by an old version of ORC. Row n of stripe s holds the
 * number 1000 s + 7 n, and values that are made of it. Arguments: the file, and orc.bloom.filter.write.version.
 */
public final class WriteOldOrc {
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set("orc.bloom.filter.columns", "id,name,price,code,day,at,amount");
    conf.set("orc.bloom.filter.fpp", "0.01");
    conf.set("orc.bloom.filter.write.version", args[1]);
    TypeDescription schema = TypeDescription.fromString(
        "struct<id:bigint,name:string,price:double,code:char(6),day:date,at:timestamp,amount:decimal(10,2)>");
    Path path = new Path(args[0]);
    Writer writer = OrcFile.createWriter(path, OrcFile.writerOptions(conf).setSchema(schema).rowIndexStride(1000));
    for (int stripe = 0; stripe < 3; stripe++) {
      writer.addRowBatch(batch(schema, stripe));
      writer.writeIntermediateFooter();
    }
    writer.close();
  }

  private static VectorizedRowBatch batch(TypeDescription schema, int stripe) {
    VectorizedRowBatch batch = schema.createRowBatch();
    for (int n = 0; n < 100; n++) {
      int row = batch.size++;
      long id = 1000L * stripe + 7 * n;
      ((LongColumnVector) batch.cols[0]).vector[row] = id;
      ((BytesColumnVector) batch.cols[1]).setVal(row, ("n\u00e4me " + id).getBytes(StandardCharsets.UTF_8));
      ((DoubleColumnVector) batch.cols[2]).vector[row] = id / 4.0;
      ((BytesColumnVector) batch.cols[3]).setVal(row, ("c" + id).getBytes(StandardCharsets.UTF_8));
      ((LongColumnVector) batch.cols[4]).vector[row] = id;
      ((TimestampColumnVector) batch.cols[5]).set(row, new Timestamp(86400000L * id));
      ((DecimalColumnVector) batch.cols[6]).set(row, HiveDecimal.create(id + ".25"));
    }
    return batch;
  }
}
