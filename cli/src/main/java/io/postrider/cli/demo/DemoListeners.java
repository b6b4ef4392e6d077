package io.postrider.cli.demo;

import io.postrider.FailurePolicy;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.StartPoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The three listeners of the demo: one keeps the ledger, one is slow, one fails. */
final class DemoListeners {
    static final String LEDGER = "ledger";
    static final String MAIL = "mail";
    static final String FLAKY = "flaky";

    static final int FLAKY_ATTEMPTS = 4;

    private static final int MAILS_AT_ONCE = 8;
    private static final List<String> EXCUSES = List.of(
            "the van broke down", "nobody was at home", "wrong door", "the bridge is closed", "the dog is loose");

    private final DemoCounters counters;

    DemoListeners(DemoCounters counters) {
        this.counters = counters;
    }

    List<Listener> listeners() {
        return List.of(
                Listener.transactional(LEDGER, Shop.TOPIC, this::book).withStart(StartPoint.beginning()),
                Listener.relay(MAIL, Shop.TOPIC, DemoListeners::send)
                        .withConcurrency(MAILS_AT_ONCE)
                        .withStart(StartPoint.beginning()),
                Listener.relay(FLAKY, Shop.TOPIC, DemoListeners::deliver)
                        .withPolicy(FailurePolicy.PARK)
                        .withAttempts(FLAKY_ATTEMPTS)
                        .withBackoff(Duration.ofMillis(300), Duration.ofSeconds(3))
                        .withStart(StartPoint.beginning()));
    }

    private void book(Connection connection, LogEvent event) throws SQLException {
        counters.arrived(event.id());
        Shop.book(connection, event);
    }

    /** Takes as long as a mail server. */
    private static void send(LogEvent event) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(8, 24));
    }

    /** One parcel in a hundred fails at first; one in two thousand fails on every attempt. */
    private static void deliver(LogEvent event) {
        int fortune = Math.floorMod(event.id().hashCode(), 2_000);
        boolean hopeless = fortune == 0;
        boolean unlucky = fortune < 20 && ThreadLocalRandom.current().nextBoolean();
        if (hopeless || unlucky) {
            throw new IllegalStateException(EXCUSES.get(fortune % EXCUSES.size()));
        }
    }
}
