package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.DeadLetters;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Handler transactions whose commit is refused, and handler transactions opened by another implementation. */
@Migrated
class HandlerTransactionsTest {
    private static final Duration SOON = Duration.ofMillis(5);

    /** A constraint that is checked at the commit, after the handler has returned. */
    private static final String PARENT = "create table parent (id int primary key);"
            + "create table child (parent int references parent deferrable" + " initially deferred);";

    private static void insert(Connection connection, String payload) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into child values (" + payload + ")");
        }
    }

    @Test
    void an_event_whose_commit_is_refused_becomes_a_dead_letter_and_the_others_are_handled(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(50))).with()) {
            psql.execute(PARENT);
            psql.execute("insert into parent values (1)");
            node.postrider.add(Listener.transactional(
                            "books", "orders", (connection, event) -> insert(connection, event.payload()))
                    .withAttempts(2)
                    .withBackoff(SOON, SOON));
            node.emit(
                    Event.of("orders", "t", "1"),
                    Event.of("orders", "t", "7"),
                    Event.of("orders", "t", "1"),
                    Event.of("orders", "t", "1"));
            node.awaitCursor("books", 4);
            assertThat(psql.texts("select parent::text from child")).containsExactly("1", "1", "1");
            assertThat(node.postrider.deadLetters().find(DeadLetters.Filter.all(), 0, 10))
                    .singleElement()
                    .satisfies(letter -> {
                        assertThat(letter.event().position()).isEqualTo(2);
                        assertThat(letter.error()).contains("foreign key");
                    });
        }
    }

    @Test
    void a_job_whose_commit_is_refused_is_retried_and_then_dead(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database, options -> options.withPoll(Duration.ofMillis(50))).with()) {
            psql.execute(PARENT);
            node.postrider.add(Worker.on("q")
                    .handlingInTransaction("t", (connection, job) -> {
                        insert(connection, job.payload());
                        return Fate.done();
                    })
                    .withRetry("t", RetryPolicy.table(SOON)));
            UUID id = JobDesk.enqueue(node, "7").get(0);
            JobDesk.awaitState(node, id, State.FAILED);
            assertThat(JobDesk.status(node, id).attempts()).isEqualTo(2);
            assertThat(JobDesk.status(node, id).error()).contains("foreign key");
        }
    }

    /** Counts the calls by Postrider. */
    private static final class Told implements HandlerTransactions {
        private final DataSource dataSource;
        private final AtomicBoolean refusing;
        final List<String> calls = new CopyOnWriteArrayList<>();

        Told(DataSource dataSource, AtomicBoolean refusing) {
            this.dataSource = dataSource;
            this.refusing = refusing;
        }

        @Override
        public Transaction begin() throws SQLException {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            calls.add("begin");
            return new Transaction() {
                @Override
                public Connection connection() {
                    return connection;
                }

                @Override
                public void flush() throws Exception {
                    calls.add("flush");
                    if (refusing.getAndSet(false)) {
                        throw new IllegalStateException("can only be rolled back");
                    }
                }

                @Override
                public void commit() throws SQLException {
                    calls.add("commit");
                    connection.commit();
                    connection.close();
                }

                @Override
                public void rollback() throws SQLException {
                    calls.add("rollback");
                    connection.rollback();
                    connection.close();
                }
            };
        }
    }

    @Test
    void a_transaction_of_another_manager_is_flushed_before_it_is_settled(TestDatabase database) {
        AtomicBoolean refusing = new AtomicBoolean(true);
        Told told = new Told(database.dataSource(), refusing);
        try (Psql psql = new Psql(database);
                Node node = new Node(
                                database,
                                options ->
                                        options.withPoll(Duration.ofMillis(50)).withHandlerTransactions(told))
                        .with()) {
            psql.execute("create table effect (payload text)");
            node.postrider.add(Listener.transactional(
                            "books",
                            "orders",
                            (connection, event) -> connection
                                    .createStatement()
                                    .execute("insert into effect values ('" + event.payload() + "')"))
                    .withBackoff(SOON, SOON));
            node.emit(Event.of("orders", "t", "1"));
            node.awaitCursor("books", 1);
            assertThat(psql.texts("select payload from effect")).containsExactly("1");
            assertThat(told.calls).containsExactly("begin", "flush", "rollback", "begin", "flush", "commit");
        }
    }
}
