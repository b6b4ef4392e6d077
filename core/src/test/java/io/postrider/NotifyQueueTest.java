package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.admin.Finding;
import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The server's queue of notifications, filled by any role while a session that listens stays in a transaction. When it is full, each
 * NOTIFY fails its transaction: producers and passes must not depend on it. The setting that makes a small queue is new in 17; a
 * default one holds 8 GB.
 */
@Tag("slow")
@Tag("once")
class NotifyQueueTest {
    private static final String SMALLEST = "64";

    @Test
    void a_full_queue_fails_no_producer_and_no_pass() {
        List<String> handled = new CopyOnWriteArrayList<>();
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options()
                        .withSetting("max_notify_queue_pages", SMALLEST)
                        .withSetting("fsync", "off"));
                TestDatabase database = TestDatabase.create(server);
                Node node = new Node(database);
                Psql stuck = new Psql(database);
                Psql other = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> handled.add(event.type())));
            node.awaitAsleep();
            stuck.execute("listen elsewhere").begin().execute("select 1");

            fillTo(other, 0.5);
            emitAndAwait(node, handled, "half-full");
            assertFinding(node, Finding.Level.WARN, "producers do not notify");

            assertThatThrownBy(() -> fillTo(other, 2)).hasMessageContaining("too many notifications");
            emitAndAwait(node, handled, "full");
            emitAndAwait(node, handled, "still-full");
            assertFinding(node, Finding.Level.FAIL, "every transaction with a NOTIFY fails");

            stuck.commit();
            Await.until("the queue has room", () -> {
                int percent = (int) other.number("select (pg_notification_queue_usage() * 100)::int4");
                if (percent >= 50) {
                    throw new IllegalStateException(percent + " % full");
                }
                return true;
            });
            emitAndAwait(node, handled, "empty-again");
        }
        assertThat(handled).containsExactly("half-full", "full", "still-full", "empty-again");
    }

    /** Each notification is a transaction of its own, so that the queue gets as full as it can. */
    private static void fillTo(Psql psql, double share) {
        for (int i = 0; psql.number("select (pg_notification_queue_usage() * 1000)::int4") < share * 1000; i++) {
            psql.execute("select pg_notify('elsewhere', repeat('x', 7900) || " + i + ")");
        }
    }

    private static void emitAndAwait(Node node, List<String> handled, String type) {
        node.awaitAsleep(); // or producers would not try to notify
        node.emit(Event.of("orders", type, "{}"));
        Await.until(type + " is handled", Duration.ofSeconds(30), () -> handled.contains(type));
    }

    private static void assertFinding(Node node, Finding.Level level, String words) {
        List<Finding> findings = new ArrayList<>();
        node.postrider.doctor().examine((check, finding) -> {
            if (check.equals("notify queue")) {
                findings.add(finding);
            }
        });
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(level);
            assertThat(finding.text()).contains(words);
        });
    }
}
