package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.postrider.testkit.Await;
import io.postrider.testkit.TcpProxy;
import io.postrider.testkit.TcpProxy.Cut;
import io.postrider.testkit.TcpProxy.Direction;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The link of a producer is cut when it sends COMMIT. {@code emit} has returned before, so it is in no doubt; the application is, as with
 * any transaction. It finds out by the transaction id, and emits again only if the transaction was rolled back.
 */
@Migrated
class LostCommitAnswerTest {
    private static final int ROUNDS = TestRun.count(40, 2_000);

    @Test
    void a_producer_whose_link_is_cut_at_commit_asks_and_emits_each_event_once(TestDatabase database) throws Exception {
        List<UUID> sent = new ArrayList<>();
        try (TcpProxy network = TcpProxy.to(database.server().port());
                Psql psql = new Psql(database)) {
            DataSource through = dataSource(database.jdbcUrl(network.port()));
            Postrider postrider = Postrider.on(through);
            for (int round = 0; round < ROUNDS; round++) {
                Cut cut = round % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
                Event event = Event.of("orders", "t" + round, "{}");
                String transaction = emitAndLoseTheAnswer(network, through, postrider, event, cut);
                String outcome = outcome(psql, transaction);
                assertThat(outcome).isEqualTo(cut == Cut.BEFORE ? "aborted" : "committed");
                if (outcome.equals("aborted")) {
                    emit(through, postrider, event);
                }
                sent.add(event.id());
            }
            psql.passAll();
            assertThat(psql.texts("select event_id from postrider.events where topic = 'orders' order by position"))
                    .containsExactlyElementsOf(sent.stream().map(UUID::toString).toList());
        }
    }

    private static String emitAndLoseTheAnswer(
            TcpProxy network, DataSource through, Postrider postrider, Event event, Cut cut) throws SQLException {
        try (Connection connection = through.getConnection()) {
            connection.setAutoCommit(false);
            postrider.emit(connection, event);
            String transaction = text(connection, "select pg_current_xact_id()");
            network.cutAt(Direction.TO_SERVER, "COMMIT", cut);
            SQLException lost = catchThrowableOfType(SQLException.class, connection::commit);
            assertThat(lost.getSQLState()).as("of %s", lost).startsWith("08");
            return transaction;
        }
    }

    /** A backend that has not noticed the cut yet, or still writes its commit, is in progress. */
    private static String outcome(Psql psql, String transaction) {
        return Await.value("the transaction has ended", Duration.ofSeconds(30), () -> {
            String status = psql.text("select pg_xact_status('" + transaction + "')");
            return status.equals("in progress") ? Optional.empty() : Optional.of(status);
        });
    }

    private static void emit(DataSource through, Postrider postrider, Event event) throws SQLException {
        try (Connection connection = through.getConnection()) {
            connection.setAutoCommit(false);
            postrider.emit(connection, event);
            connection.commit();
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static DataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }
}
