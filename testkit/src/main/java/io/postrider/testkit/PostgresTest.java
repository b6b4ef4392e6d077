package io.postrider.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Provides the test class with a {@link TestDatabase} as a parameter of its constructor or of any of its methods.
 *
 * <pre>{@code
 * @PostgresTest
 * class EmitTest {
 *     @Test
 *     void an_event_is_seen(TestDatabase database) { ... }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TestDatabaseExtension.class)
public @interface PostgresTest {

    /** A database for each test method, or one for all methods of the class. */
    Per per() default Per.METHOD;

    /**
     * Fails a test that leaves sessions open in its database: such a leak would affect an application only after days.
     */
    boolean failOnOpenSessions() default true;

    /** How long a database lives. */
    enum Per {
        METHOD,
        CLASS
    }
}
