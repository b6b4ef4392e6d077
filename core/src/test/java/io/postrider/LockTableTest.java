package io.postrider;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.embedded.EmbeddedPostgres;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestServer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All sessions of a server share one lock table, and any role can fill it. On a server of its own: nobody else could work. */
@Tag("security")
class LockTableTest {
    @Test
    void sessions_that_fill_the_lock_table_are_terminated_and_events_are_delivered() {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(TestServer.options());
                TestDatabase database = TestDatabase.create(server);
                Node node = new Node(database, options -> options.withPoll(Duration.ofSeconds(3)));
                Psql admin = new Psql(database)) {
            node.with(Listener.relay("relay", "orders", event -> {}));
            node.emit(Event.of("orders", "a", "{}"));
            node.awaitCursor("relay", 1);
            try (Stranger stranger = new Stranger(admin, database)) {
                stranger.psql.execute("set statement_timeout = '30s'");
                // When the table is full it waits for entries that others give back.
                assertThatThrownBy(() -> stranger.psql.execute("""
                                do $$ begin
                                  for i in 1..1000000 loop
                                    begin
                                      perform pg_advisory_lock_shared(i);
                                    exception when out_of_memory then
                                      perform pg_sleep(0.01);
                                    end;
                                  end loop;
                                end $$""")).hasMessageContaining("57P01");
                Await.until("its locks are gone", () -> isEmitted(node));
                node.awaitCursor("relay", 2);
            }
        }
    }

    private static boolean isEmitted(Node node) {
        try {
            node.emit(Event.of("orders", "b", "{}"));
            return true;
        } catch (PostriderException e) {
            return false; // a session is told that it is ended before its locks are released
        }
    }
}
