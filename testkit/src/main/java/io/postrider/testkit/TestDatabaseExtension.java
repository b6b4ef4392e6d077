package io.postrider.testkit;

import io.postrider.testkit.PostgresTest.Per;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The implementation of {@link PostgresTest}. */
final class TestDatabaseExtension implements ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(TestDatabaseExtension.class);

    /** The server needs a moment to notice that a client has disconnected. */
    private static final Duration SESSIONS_END = Duration.ofSeconds(10);

    /** So that the constructor and the method get the same database. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestDatabase.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        PostgresTest wanted = wanted(context);
        ExtensionContext owner = wanted.per() == Per.CLASS ? ofClass(context) : context;
        if (wanted.per() == Per.METHOD && context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a database for each method cannot be had in @BeforeAll, @AfterAll"
                    + " or once for all instances: use @PostgresTest(per = CLASS)");
        }
        return owner.getStore(NAMESPACE)
                .computeIfAbsent(Held.class, key -> new Held(TestDatabase.create(), wanted), Held.class)
                .database();
    }

    private static PostgresTest wanted(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), PostgresTest.class)
                .or(() -> context.getParent().map(TestDatabaseExtension::wanted))
                .orElseThrow(() -> new ParameterResolutionException("no @PostgresTest"));
    }

    /** The context of the test class, from any context within it. */
    private static ExtensionContext ofClass(ExtensionContext context) {
        ExtensionContext found = context;
        while (found.getTestMethod().isPresent()) {
            found = found.getParent().orElseThrow();
        }
        return found;
    }

    /** Closed by JUnit at the end of the method or the class. */
    private record Held(TestDatabase database, PostgresTest wanted) implements AutoCloseable {

        @Override
        public void close() {
            try {
                if (wanted.failOnOpenSessions() && database.server().isRunning()) {
                    Await.until("no session left open in " + database, SESSIONS_END, () -> {
                        List<String> left = database.sessions();
                        if (!left.isEmpty()) {
                            throw new IllegalStateException(left.size() + " left: " + String.join(" | ", left));
                        }
                        return true;
                    });
                }
            } finally {
                database.close();
            }
        }
    }
}
