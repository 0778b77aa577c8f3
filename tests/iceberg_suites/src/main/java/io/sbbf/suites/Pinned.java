package io.sbbf.suites;

import java.lang.reflect.Field;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/**
 * Pins what Iceberg's base classes draw at random, so that both legs run the same tests: whether sessions are adaptive,
 * and parameters such as whether reads are vectorized.
 *
 * <p>JUnit finds it by its service file. It asks this provider before Iceberg's, which draws the parameters.
 */
public final class Pinned implements BeforeEachCallback, TestTemplateInvocationContextProvider {
  private static final String ADAPTIVE = System.getProperty("sbbf.suites.adaptive", "true");
  private static final long SEED = 48;

  /** The session exists by now, and the test sets what it needs itself. */
  @Override
  public void beforeEach(ExtensionContext context) {
    SparkSession.active().conf().set("spark.sql.adaptive.enabled", ADAPTIVE);
  }

  /** Has no parameters to offer, but seeds the generator that the next provider draws from. */
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    ThreadLocalRandom.current(); // which seeds it by the clock, the first time
    try {
      Field seed = Thread.class.getDeclaredField("threadLocalRandomSeed");
      seed.setAccessible(true);
      seed.setLong(Thread.currentThread(), SEED);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the seed of this thread cannot be set", e);
    }
    return false;
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
    return Stream.empty();
  }
}
