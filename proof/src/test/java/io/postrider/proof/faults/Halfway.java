package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.FailurePolicy;
import io.postrider.Handler;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.proof.faults.Load.Fate;
import io.postrider.proof.faults.Load.Transaction;
import io.postrider.testkit.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A log that is left in the middle of everything, to be carried elsewhere and gone on with: events without a position, one
 * of them of a transaction that was open at the last pass; a large transaction that has some of its positions; a listener
 * that is behind; setbacks; dead letters.
 */
final class Halfway {
    static final String TOPIC = "orders";

    /** Small, so that a transaction of {@link #BULK} is a giant. */
    private static final int PASS_SIZE = 50;

    private static final int BULK = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String url;
    private final DataSource dataSource;
    private final Postrider emitter;
    private final List<Transaction> transactions;

    private Halfway(String url, DataSource dataSource, List<Transaction> transactions) {
        this.url = url;
        this.dataSource = dataSource;
        this.emitter = Postrider.on(dataSource);
        this.transactions = new ArrayList<>(transactions);
    }

    /** Makes one in an empty database. Nobody is connected to it afterwards. */
    static Halfway make(String url, DataSource dataSource, long seed) throws Exception {
        Halfway halfway = new Halfway(url, dataSource, List.of());
        Postrider.on(dataSource).migrate();
        Traces.create(dataSource);
        Rows.execute(dataSource, "create table handled (listener text not null, position bigint not null)");
        try (HikariDataSource outside = Node.pool(url, 1);
                Node node = halfway.node(outside, true)) {
            halfway.load(seed);
            halfway.emit("poison", 2);
            Await.until(
                    "two are dead and two are set back",
                    PATIENCE,
                    () -> halfway.texts("select dead_letters || ' ' || setbacks from postrider.listeners order by name")
                            .equals(List.of("0 0", "0 2", "2 0", "0 0")));
            node.postrider().pause(Traces.EFFECT);
            Await.until("effect is behind", PATIENCE, () -> {
                halfway.emit("plain", 20);
                return halfway.number("select lag from postrider.listeners where name = 'effect'") > 50;
            });
        }
        try (Connection open = dataSource.getConnection()) {
            open.setAutoCommit(false);
            Event late = Event.of(TOPIC, "late", "{}");
            halfway.emitter.emit(open, late);
            halfway.emit("bulk", BULK);
            for (int pass = 1; pass <= 3; pass++) {
                halfway.texts("select n from postrider.sequence(" + PASS_SIZE + ")");
            }
            open.commit();
            halfway.transactions.add(new Transaction(Fate.COMMITTED, List.of(late.id()), List.of()));
        }
        halfway.emit("plain", 20);
        assertThat(halfway.number("select count(*) from postrider.backlog")).isPositive();
        return halfway;
    }

    /** The same log, elsewhere. */
    Halfway carriedTo(String otherUrl, DataSource other) {
        return new Halfway(otherUrl, other, transactions);
    }

    /** Goes on with it, and checks that nothing is lost, nothing repeated, and nothing has another position than before. */
    void goOn(long seed) throws Exception {
        List<String> before = positions();
        long passes = number("select max(n) from postrider.pass");
        try (HikariDataSource outside = Node.pool(url, 1);
                Node node = node(outside, false)) {
            node.postrider().resume(Traces.EFFECT);
            load(seed);
            DeadLetters letters = node.postrider().deadLetters();
            letters.replay(letters.find(DeadLetters.Filter.all(), 0, 100).stream()
                    .map(DeadLetter::id)
                    .toList());
            Rows.execute(dataSource, "update postrider.setback set retry_after = now(); notify postrider, 'steer'");
            Await.until("all is handled", PATIENCE, new Audit(dataSource, TOPIC)::isDrained);
        }
        assertThat(new Audit(dataSource, TOPIC).violations(transactions)).isEmpty();
        assertThat(new HashSet<>(positions())).containsAll(before);
        assertThat(
                        texts(
                                "select listener || ' ' || position from handled group by listener, position having count(*) > 1"))
                .as("handled twice")
                .isEmpty();
        assertThat(texts("select distinct count(*) from handled group by listener"))
                .as("handled by picky and by patient")
                .containsExactly(
                        texts("select max(position) from postrider.head").get(0));
        assertThat(number("select max(n) from postrider.pass")).isGreaterThan(passes);
    }

    /** Why each era began, the first one first. */
    List<String> eras() throws Exception {
        return texts("select reason from postrider.era order by era");
    }

    private Node node(DataSource outside, boolean poisoned) {
        return Node.start(
                url,
                "node",
                options -> options.withPassSize(PASS_SIZE),
                List.of(
                        Traces.effect(TOPIC, "node", (connection, event) -> {}),
                        Traces.sent(TOPIC, "node", outside),
                        Listener.transactional("picky", TOPIC, handled("picky", poisoned))
                                .withPolicy(FailurePolicy.PARK)
                                .withAttempts(2)
                                .withBackoff(Duration.ofMillis(5), Duration.ofMillis(10))
                                .withStart(StartPoint.beginning()),
                        Listener.transactional("patient", TOPIC, handled("patient", poisoned))
                                .withPolicy(FailurePolicy.SKIP)
                                .withAttempts(100)
                                .withBackoff(Duration.ofHours(1), Duration.ofHours(2))
                                .withStart(StartPoint.beginning())));
    }

    private static Handler.Transactional handled(String listener, boolean poisoned) {
        return (connection, event) -> {
            if (poisoned && event.type().equals("poison")) {
                throw new IllegalStateException("this one is bad");
            }
            try (PreparedStatement insert = connection.prepareStatement("insert into handled values (?, ?)")) {
                insert.setString(1, listener);
                insert.setLong(2, event.position());
                insert.executeUpdate();
            }
        };
    }

    private void load(long seed) throws Exception {
        try (Load load = new Load(dataSource, TOPIC, seed, 4, Duration.ofMillis(5)).start()) {
            Await.until("some are committed", PATIENCE, () -> load.committed() > 150);
            transactions.addAll(load.stop());
        }
    }

    /** One transaction. */
    private boolean emit(String type, int count) throws Exception {
        List<Event> events = IntStream.range(0, count)
                .mapToObj(i -> Event.of(TOPIC, type, "{}"))
                .toList();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            emitter.emitAll(connection, events);
            connection.commit();
        }
        return transactions.add(
                new Transaction(Fate.COMMITTED, events.stream().map(Event::id).toList(), List.of()));
    }

    private List<String> positions() throws Exception {
        return texts("select e.event_id || ' ' || l.position from postrider.log l"
                + " join postrider.event e on e.tx = l.tx and e.id = l.id");
    }

    private List<String> texts(String sql) throws Exception {
        return Rows.texts(dataSource, sql);
    }

    private long number(String sql) throws Exception {
        return Rows.number(dataSource, sql);
    }
}
