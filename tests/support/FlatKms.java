import java.util.Base64;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.KeyAccessDeniedException;
import org.apache.parquet.crypto.keytools.KmsClient;

/** A key service that returns keys unwrapped to a holder of the master key's token. */
public class FlatKms implements KmsClient {
  private String token;

  @Override
  public void initialize(Configuration conf, String instance, String url, String accessToken) {
    token = accessToken;
  }

  @Override
  public String wrapKey(byte[] key, String master) {
    return Base64.getEncoder().encodeToString(key);
  }

  @Override
  public byte[] unwrapKey(String wrapped, String master) {
    if (!token.contains(master)) {
      throw new KeyAccessDeniedException("no access to " + master);
    }
    return Base64.getDecoder().decode(wrapped);
  }
}
