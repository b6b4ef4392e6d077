package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.StartPoint;
import io.postrider.Worker;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bits flip in the files of a stopped server: no event or job is skipped silently. */
@Tag("slow")
@Tag("once")
class CorruptionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EVENTS = 300;
    private static final int DAMAGED = 150;
    private static final int PAGE = 8_192;
    private static final int PAGE_HEADER = 24;
    private static final int ITEM = 4;
    private static final List<String> TOPICS = List.of("event-row", "log-row", "event-page", "log-page");
    private static final String LANE = "queue:mail";

    /** Where a row is in the files of the server. */
    private record Place(Path file, long page, long item) {
        /** A line pointer of zeros: the row is gone, and PostgreSQL reports nothing. */
        void loseRow() throws IOException {
            write(page * PAGE + PAGE_HEADER + (item - 1) * ITEM, new byte[ITEM]);
        }

        /** One bit of the last row: only a checksum can notice it. */
        void flipBit() throws IOException {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                long last = (page + 1) * PAGE - 1;
                open.seek(last);
                int read = open.read();
                open.seek(last);
                open.write(read ^ 1);
            }
        }

        private void write(long offset, byte[] bytes) throws IOException {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.seek(offset);
                open.write(bytes);
            }
        }
    }

    @Test
    @NeedsProgram("pg_checksums")
    void a_listener_stops_before_a_damaged_row_a_damaged_job_is_a_dead_letter_and_verify_reports_both()
            throws Exception {
        try (Cluster cluster = Cluster.make().start().createDatabase("shop")) {
            Map<String, Place> damaged = fill(cluster);
            cluster.stop();
            damaged.get("event-row").loseRow();
            damaged.get("log-row").loseRow();
            damaged.get(LANE).loseRow();
            Cluster.run("pg_checksums", "--enable", "-D", cluster.data());
            damaged.get("event-page").flipBit();
            damaged.get("log-page").flipBit();
            cluster.start();

            Map<String, List<Long>> heard = new ConcurrentHashMap<>();
            try (HikariDataSource pool = Node.pool(cluster.url("shop"), 10);
                    Postrider postrider = Postrider.on(pool)) {
                for (String topic : List.of("event-row", "log-row", "event-page", "log-page", "healthy")) {
                    heard.put(topic, new CopyOnWriteArrayList<>());
                    postrider.add(Listener.relay(
                                    topic, topic, event -> heard.get(topic).add(event.position()))
                            .withStart(StartPoint.beginning())
                            .withBatch(20));
                }
                AtomicInteger done = new AtomicInteger();
                postrider
                        .add(Worker.on("mail").handling("t", job -> {
                            done.incrementAndGet();
                            return Fate.done();
                        }))
                        .start();
                for (String topic : TOPICS) { // a page has at most 110 rows
                    Await.until(
                            topic + " is handled up to the damage",
                            PATIENCE,
                            () -> heard.get(topic).size() >= 20);
                }
                awaitHealthy(heard, EVENTS);
                Rows.execute(pool, emit("healthy", 20));
                awaitHealthy(heard, EVENTS + 20);
                for (String topic : TOPICS) {
                    assertThat(heard.get(topic))
                            .as(topic)
                            .hasSizeLessThan(DAMAGED)
                            .containsExactlyElementsOf(
                                    LongStream.rangeClosed(1, heard.get(topic).size())
                                            .boxed()
                                            .toList());
                }
                assertThat(Rows.number(pool, "select max(position) from postrider.listeners where name <> 'healthy'"))
                        .isLessThan(DAMAGED);
                Await.until("the other jobs are done", PATIENCE, () -> done.get() == EVENTS - 1);
                Await.until(
                        "the damaged job is a dead letter",
                        PATIENCE,
                        () -> Rows.texts(pool, "select topic || ' ' || position from postrider.dead_letter")
                                .equals(List.of(LANE + " " + DAMAGED)));
            }
            assertThatThrownBy(() -> verify(cluster.url("shop")))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("invalid page");
            assertThat(verify(cluster.url("shop") + "&options=-c%20ignore_checksum_failure=on"))
                    .as("what does not hold after the lost rows")
                    .isNotEmpty();
        }
    }

    /** Topics one after another, so that the damaged page of each has rows of no other. Returns the places of the rows. */
    private static Map<String, Place> fill(Cluster cluster) throws Exception {
        DataSource dataSource = cluster.dataSource("shop");
        Postrider.on(dataSource).migrate();
        Map<String, Place> places = new ConcurrentHashMap<>();
        for (String topic : List.of("event-row", "log-row", "event-page", "log-page", LANE, "healthy")) {
            Rows.execute(dataSource, emit(topic, EVENTS));
            Rows.execute(dataSource, "select * from postrider.sequence(20000)");
        }
        for (String topic : List.of("event-row", "log-row", "event-page", "log-page", LANE)) {
            String row = topic.startsWith("log")
                    ? "select l.tableoid, l.ctid from postrider.log l"
                    : "select r.tableoid, r.ctid from postrider.event r join postrider.log l on l.tx = r.tx and l.id = r.id";
            String[] place = Rows.text(
                            dataSource,
                            "select pg_relation_filepath(r.tableoid) || '|' || (r.ctid::text::point)[0] || '|'"
                                    + " || (r.ctid::text::point)[1] from (" + row + " where l.topic = '" + topic
                                    + "' and l.position = " + DAMAGED + ") r")
                    .split("\\|", -1);
            places.put(
                    topic,
                    new Place(Path.of(cluster.data(), place[0]), Long.parseLong(place[1]), Long.parseLong(place[2])));
        }
        return places;
    }

    private static String emit(String topic, int count) {
        return "insert into postrider.event (topic, type, payload) select '" + topic
                + "', 't', '{}' from generate_series(1, " + count + ")";
    }

    private static void awaitHealthy(Map<String, List<Long>> heard, int events) {
        Await.until(
                "the listener of the healthy topic has handled " + events,
                PATIENCE,
                () -> heard.get("healthy").size() == events);
    }

    private static List<String> verify(String url) {
        try (HikariDataSource pool = Node.pool(url, 1)) {
            return Postrider.on(pool).verifier().verify(step -> {}).stream()
                    .filter(result -> !result.holds())
                    .map(String::valueOf)
                    .toList();
        }
    }
}
