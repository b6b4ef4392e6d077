package io.postrider;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * As {@link io.postrider.testkit.PostgresTest}, with the schema in the database: copied from a template, which takes a
 * third of the time of a migration. A session left open fails the test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Migrated.Extension.class)
public @interface Migrated {
    /** One database for all methods of the class: for tests that keep to topics and listeners of their own. */
    boolean shared() default false;

    /** How many events a segment holds. */
    long segmentSize() default 4_000_000;

    /** Behind the annotation. */
    final class Extension implements ParameterResolver {
        private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Migrated.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == TestDatabase.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Migrated wanted = context.getRequiredTestClass().getAnnotation(Migrated.class);
            ExtensionContext owner = context;
            while (wanted.shared() && owner.getTestMethod().isPresent()) {
                owner = owner.getParent().orElseThrow();
            }
            return owner.getStore(NAMESPACE)
                    .computeIfAbsent(Held.class, key -> new Held(create(wanted.segmentSize())), Held.class)
                    .database();
        }

        private static TestDatabase create(long segmentSize) {
            Options options = Options.defaults().withSegmentSize(segmentSize);
            return TestDatabase.createFrom(
                    "migrated-" + segmentSize,
                    dataSource -> Postrider.on(dataSource, options).migrate());
        }
    }

    /** Closed by JUnit at the end of the method or the class. */
    record Held(TestDatabase database) implements AutoCloseable {
        @Override
        public void close() {
            try {
                Await.until("no session left open in " + database, Duration.ofSeconds(60), () -> {
                    List<String> left = database.sessions();
                    if (!left.isEmpty()) {
                        throw new IllegalStateException(left.size() + " left: " + String.join(" | ", left));
                    }
                    return true;
                });
            } finally {
                database.close();
            }
        }
    }
}
