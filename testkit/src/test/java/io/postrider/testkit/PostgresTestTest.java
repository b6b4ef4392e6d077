package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

@Tag("slow")
class PostgresTestTest {

    private static final List<String> seen = new ArrayList<>();
    private static Connection leaked;

    @Test
    void a_method_s_database_is_its_own_and_the_same_in_constructor_and_before_each() {
        assertThat(run(PerMethod.class).getFailures()).isEmpty();
        assertThat(seen).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void a_class_s_database_is_one_for_all_methods() {
        assertThat(run(PerClass.class).getFailures()).isEmpty();
        assertThat(seen).hasSize(4);
        assertThat(seen.subList(0, 3)).containsOnly(seen.get(0));
    }

    @Test
    void a_leaked_session_fails_the_test() throws SQLException {
        TestExecutionSummary summary = run(Leaking.class);
        assertThat(summary.getFailures()).hasSize(1);
        assertThat(summary.getFailures().get(0).getException())
                .hasMessageContaining("no session left open")
                .hasMessageContaining("leaky idle");
        leaked.close();
    }

    @Test
    void asking_too_early_is_told() {
        TestExecutionSummary summary = run(TooEarly.class);
        assertThat(summary.getFailures()).hasSize(1);
        assertThat(summary.getFailures().get(0).getException()).hasMessageContaining("@PostgresTest(per = CLASS)");
    }

    @Test
    void a_test_that_needs_a_missing_program_is_skipped_and_only_then() {
        String before = System.getProperty("postrider.test.missing", "");
        try {
            System.setProperty("postrider.test.missing", "pgbouncer,flying-pig");
            assertThat(run(Needing.class).getTestsSkippedCount()).isEqualTo(1);
            System.setProperty("postrider.test.missing", "pgbouncer");
            assertThat(run(Needing.class).getTestsSkippedCount()).isZero();
        } finally {
            System.setProperty("postrider.test.missing", before);
        }
    }

    private static TestExecutionSummary run(Class<?> tests) {
        seen.clear();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request().selectors(selectClass(tests)).build(), listener);

        return listener.getSummary();
    }

    @PostgresTest
    static class PerMethod {
        private final TestDatabase database;
        private TestDatabase before;

        PerMethod(TestDatabase database) {
            this.database = database;
        }

        @BeforeEach
        void remember(TestDatabase given) {
            before = given;
        }

        @Test
        void one(TestDatabase given) {
            assertThat(given).isSameAs(database).isSameAs(before);
            seen.add(given.name());
        }

        @Test
        void two(TestDatabase given) {
            assertThat(given).isSameAs(database).isSameAs(before);
            seen.add(given.name());
        }
    }

    @PostgresTest(per = PostgresTest.Per.CLASS)
    static class PerClass {
        @BeforeAll
        static void first(TestDatabase given) {
            seen.add(given.name());
        }

        @Test
        void one(TestDatabase given) {
            seen.add(given.name());
        }

        @Test
        void two(TestDatabase given) {
            seen.add(given.name());
        }

        @Nested
        class Inner {
            @Test
            void three(TestDatabase given) {
                seen.add(given.name());
            }
        }
    }

    @PostgresTest
    static class Leaking {
        @Test
        void leak(TestDatabase database) throws SQLException {
            leaked = database.dataSource().getConnection();
            leaked.setClientInfo("ApplicationName", "leaky");
        }
    }

    @PostgresTest
    static class TooEarly {
        @BeforeAll
        static void first(TestDatabase given) {}

        @Test
        void one() {}
    }

    static class Needing {
        @Test
        @NeedsProgram("flying-pig")
        void fly() {}
    }
}
