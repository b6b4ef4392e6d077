package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the guard of the locks logs about names that others chose. */
@Migrated
@Tag("security")
class IntruderLogTest {
    @Test
    void the_name_of_a_prepared_transaction_cannot_write_lines_of_its_own(TestDatabase database) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        String gid = "E'" + database.name() + "\\r\\n\\x1b[2Jintruder pid=1 \\'; drop schema postrider'";
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database)) {
            stranger.psql.execute("begin; select pg_advisory_xact_lock("
                    + admin.number("select 'postrider.delivery'::regclass::oid::int4") + ", 4711); prepare transaction "
                    + gid);
            System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
            try (Node node = new Node(database)) {
                node.postrider.start();
                Await.until("it is logged", () -> !intruders(written).isEmpty());
            } finally {
                System.setErr(before);
                admin.execute("rollback prepared " + gid);
            }
        }
        assertThat(intruders(written))
                .singleElement()
                .asString()
                .contains("gid=E'" + database.name()
                        + "\\x0d\\x0a\\x1b\\x5b2Jintruder\\x20pid\\x3d1\\x20\\x27\\x3b\\x20drop\\x20schema\\x20postrider'"
                        + " role=stranger_" + database.name() + " ended=false");
    }

    /** The session is signalled, but a product of large numbers is calculated to its end. */
    @Test
    void a_terminated_session_that_does_not_end_is_logged(TestDatabase database) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (Psql admin = new Psql(database);
                Stranger stranger = new Stranger(admin, database)) {
            long start = System.nanoTime();
            admin.number(products(5));
            long products = 5 * Duration.ofSeconds(6).toNanos() / (System.nanoTime() - start);
            long pid = stranger.psql.pid();
            stranger.psql.execute("select pg_advisory_lock("
                    + admin.number("select 'postrider.delivery'::regclass::oid::int4") + ", 4711)");
            CompletableFuture<Void> calculation =
                    Background.run(() -> calculate(stranger.psql, products(Math.max(5, products))));
            Await.until(
                    "it calculates",
                    () -> admin.text("select state from pg_stat_activity where pid = " + pid)
                            .equals("active"));
            System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
            try (Node node = new Node(database)) {
                node.postrider.start();
                Await.until(
                        "it is logged",
                        () -> lines(written, "intruder_remains ").size() == 1);
                calculation.join();
            } finally {
                System.setErr(before);
            }
            assertThat(intruders(written)).singleElement().asString().contains("pid=" + pid, "ended=true");
            assertThat(lines(written, "intruder_remains "))
                    .singleElement()
                    .asString()
                    .containsPattern("pid=" + pid + " role=" + stranger.role + " seconds=[1-9] ");
        }
    }

    private static String products(long count) {
        return "select sign(" + String.join(" + ", Collections.nCopies((int) count, "v.x * v.x"))
                + ")::int from (select repeat('9', 60000)::numeric as x offset 0) v";
    }

    private static void calculate(Psql psql, String sql) {
        try {
            psql.number(sql);
        } catch (Psql.SqlFailure e) {
            // terminated at the end of the statement
        }
    }

    private static List<String> intruders(ByteArrayOutputStream written) {
        return lines(written, "intruder ");
    }

    private static List<String> lines(ByteArrayOutputStream written, String event) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(event))
                .toList();
    }
}
