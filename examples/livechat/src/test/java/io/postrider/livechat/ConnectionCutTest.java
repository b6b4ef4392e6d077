package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The button that ends every database connection of the chat. */
@PostgresTest
@Tag("slow")
class ConnectionCutTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    @Test
    void every_connection_of_the_chat_is_ended_others_are_not_and_nothing_is_lost(TestDatabase database)
            throws Exception {
        try (Theatre theatre = Theatre.open(database, 0);
                Connection other = DriverManager.getConnection(database.jdbcUrl());
                ChatSocket socket = ChatSocket.open(theatre, new Guest("v-1", LiveChat.PROJECT, false))) {
            theatre.awaitWorkers();
            say(socket, 1, 20);
            List<Integer> before = sessions(other);
            assertThat(before.size()).as("of three processes").isGreaterThan(10);
            ConnectionCut cut = new ConnectionCut(theatre.pool);
            assertThat(cut.all().connections()).isGreaterThanOrEqualTo(before.size());
            say(socket, 21, 40);
            Await.until(
                    "none of them is left", LONG, () -> sessions(other).stream().noneMatch(before::contains));
            assertThat(Rows.one(other, "select 1 as n", row -> row.getLong("n")))
                    .contains(1L);
            Await.until("all forty are saved", LONG, () -> count(other, "body ~ '^number'") == 40);
            Await.until("and answered", LONG, () -> count(other, "answers is not null") == 40);
            assertThat(Rows.one(
                            other,
                            "select count(distinct client_id) as n from livechat.message where body ~ '^number'",
                            row -> row.getLong("n")))
                    .contains(40L);
            assertThat(cut.last()).isNotNull();
        }
    }

    /** As a page does it: what is refused for the moment is sent again. */
    private static void say(ChatSocket socket, int from, int to) {
        for (int i = from; i <= to; i++) {
            String data = "{\"text\":\"number " + i + "\"}";
            String client = "client-" + (100 + i);
            Await.until(
                    "number " + i + " is accepted",
                    LONG,
                    () -> socket.say(client, data).contains("\"ack\""));
        }
    }

    private static List<Integer> sessions(Connection connection) throws Exception {
        return Rows.query(
                connection,
                "select a.pid from pg_stat_activity a where a.datname = current_database()"
                        + " and a.application_name = 'livechat'",
                row -> row.getInt("pid"));
    }

    private static long count(Connection connection, String where) throws Exception {
        return Rows.one(
                        connection,
                        "select count(*) as n from livechat.message where " + where,
                        row -> row.getLong("n"))
                .orElseThrow();
    }
}
