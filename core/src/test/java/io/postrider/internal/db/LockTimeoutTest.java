package io.postrider.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.PostriderException;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A limit on the wait for locks that holds in a transaction and stays in no session: a pooler hands that to others. */
@PostgresTest
class LockTimeoutTest {
    private static final Sql SETTING =
            Sql.call("setting", "select pg_catalog.current_setting('lock_timeout') as setting");
    private static final Sql LOCK = Sql.call("lock", "select pg_catalog.pg_advisory_xact_lock(4711)::text as got");

    @Test
    @Timeout(60)
    void the_lock_timeout_applies_to_a_statement_and_not_to_the_session(TestDatabase database) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("select pg_advisory_xact_lock(4711)");
            Database plain = new Database(pool, SchemaName.of("postrider"));
            Database limited = plain.withLockTimeout(Duration.ofMillis(100));
            Database.Work<Boolean> lock = session -> {
                session.call(LOCK, Bind::nothing);
                return true;
            };
            assertRefused(() -> limited.transaction(lock));
            assertRefused(() -> limited.autocommit(lock));
            assertRefused(() -> limited.statement(lock));
            Optional<String> after =
                    plain.autocommit(session -> session.one(SETTING, Bind::nothing, row -> row.text("setting")));
            assertThat(after).contains("0");
            other.rollback();
            boolean locked = limited.transaction(lock);
            assertThat(locked).isTrue();
        }
    }

    private static void assertRefused(Runnable work) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        PostriderException.class,
                        e -> assertThat(SqlState.isLocked(SqlState.of(e))).isTrue());
    }
}
