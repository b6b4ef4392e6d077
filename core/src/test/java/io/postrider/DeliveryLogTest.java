package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The log line of a delivered event. */
@Migrated
@Tag("once")
class DeliveryLogTest {
    @Test
    void an_event_that_is_handled_at_its_second_attempt_is_logged_with_attempt_2(TestDatabase database)
            throws Exception {
        AtomicInteger calls = new AtomicInteger();
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        int level = setLevel(Level.DEBUG.toInt());
        try (Node node = new Node(database)) {
            node.with(Listener.relay("retried", "orders", event -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new IllegalStateException("not yet");
                        }
                    })
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1)));
            node.inTransaction(connection -> node.postrider.emit(connection, Event.of("orders", "t", "{}")));
            Await.until(
                    "it is logged",
                    () -> written.toString(StandardCharsets.UTF_8).contains("outbox_publish_succeeded"));
        } finally {
            setLevel(level);
            System.setErr(before);
        }
        assertThat(written.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("succeeded")))
                .singleElement()
                .asString()
                .endsWith(" attempt=2");
    }

    /** SLF4J's simple logger reads its levels once, and tests log errors only. Returns the level before. */
    private static int setLevel(int level) throws ReflectiveOperationException {
        Logger logger = LoggerFactory.getLogger("io.postrider.internal.listen.DeliveryReport");
        Field field = logger.getClass().getDeclaredField("currentLogLevel");
        field.setAccessible(true);
        int before = field.getInt(logger);
        field.setInt(logger, level);
        return before;
    }
}
