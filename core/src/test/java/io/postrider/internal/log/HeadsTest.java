package io.postrider.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Background;
import io.postrider.LogEvent;
import io.postrider.Migrated;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.SchemaName;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a node believes about heads, and that it reads every event whatever it has heard of the passes. */
@Migrated
class HeadsTest {
    private static final Sql PASS = Sql.text(
            "test_pass", "select p.n, p.topics, p.heads, p.low_id, p.high_id from postrider.pass p where p.n = :n");

    private final Heads heads = new Heads(Watch.NOTHING);

    @Test
    void a_missed_notification_of_a_pass_hides_no_event(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Database door = door(database);
            psql.emit("orders", "long-ago").passAll();
            follow(door, "orders");
            psql.emit("orders", "theirs").passAll();
            psql.emit("orders", "ours").passAll();
            long ours = psql.number("select max(n) from postrider.pass");
            heads.moved(pass(door, ours));
            assertThat(heads.head("orders")).isEqualTo(3);
            assertThat(read(door, 1)).extracting(LogEvent::type).containsExactly("theirs", "ours");
            heads.moved(pass(door, ours - 1));
            assertThat(read(door, 1)).extracting(LogEvent::type).containsExactly("theirs", "ours");
            assertThat(read(door, 0)).extracting(LogEvent::type).containsExactly("long-ago", "theirs", "ours");
        }
    }

    @Test
    void a_pass_while_following_starts_hides_no_event(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Psql barrier = new Psql(database)) {
            Database door = door(database);
            psql.emit("orders", "before").passAll();
            psql.emit("orders", "last").passAll();
            door.autocommit(session -> {
                heads.reload(session);
                return true;
            });
            psql.emit("orders", "meanwhile").passAll();
            Pass meanwhile = pass(door, psql.number("select max(n) from postrider.pass"));
            barrier.begin().execute("lock table postrider.head in access exclusive mode");
            CompletableFuture<Void> following = Background.run(() -> follow(door, "orders"));
            Await.until(
                    "it waits for the head",
                    () -> psql.number("select count(*) from pg_stat_activity"
                                    + " where datname = current_database() and wait_event_type = 'Lock'")
                            == 1);
            heads.moved(meanwhile);
            barrier.commit();
            following.join();
            assertThat(read(door, 0)).extracting(LogEvent::type).containsExactly("before", "last", "meanwhile");
        }
    }

    @Test
    void consecutive_passes_narrow_the_read_to_their_ids(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Database door = door(database);
            psql.emit("orders", "first").passAll();
            door.autocommit(session -> {
                heads.reload(session);
                return true;
            });
            follow(door, "orders");
            assertThat(heads.idsOf("orders", 0, 1)).isEqualTo(Heads.Ids.ALL);
            psql.emit("other", "x").emit("orders", "second").passAll();
            Pass pass = pass(door, psql.number("select max(n) from postrider.pass"));
            heads.moved(pass);
            assertThat(heads.idsOf("orders", 1, 2)).isEqualTo(new Heads.Ids(pass.lowId(), pass.highId()));
            assertThat(heads.idsOf("orders", 0, 2)).isEqualTo(Heads.Ids.ALL);
            assertThat(read(door, 1)).extracting(LogEvent::type).containsExactly("second");
        }
    }

    @Test
    void a_node_that_missed_many_passes_reads_the_heads_again(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Database door = door(database);
            psql.emit("orders", "first").passAll();
            door.autocommit(session -> {
                heads.reload(session);
                return true;
            });
            follow(door, "orders");
            for (int i = 0; i < 210; i++) {
                psql.emit("orders", "t" + i).pass();
            }
            door.autocommit(session -> {
                heads.refresh(session);
                return true;
            });
            assertThat(heads.head("orders")).isEqualTo(211);
            assertThat(new LogReader(door)
                            .read("orders", 0, Long.MAX_VALUE, 300, ReadFilter.ALL, heads, 1)
                            .events())
                    .hasSize(211);
            psql.emit("orders", "last").pass();
            door.autocommit(session -> {
                heads.refresh(session);
                return true;
            });
            assertThat(read(door, 205))
                    .hasSize(7)
                    .last()
                    .extracting(LogEvent::type)
                    .isEqualTo("last");
        }
    }

    @Test
    void a_gap_is_a_conflict_that_names_the_missing_positions(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            Database door = door(database);
            psql.emit("orders", "a", "b", "c", "d").passAll();
            follow(door, "orders");
            psql.execute("delete from postrider.log where position = 2");
            assertThatThrownBy(() -> read(door, 0))
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContainingAll("topic orders", "3 of the 4", "1..4", "oldest kept is 1", "reset");
            ReadFilter onlyD = new ReadFilter(Set.of("d"), null);
            assertThatThrownBy(() -> new LogReader(door).read("orders", 0, Long.MAX_VALUE, 10, onlyD, heads, 1))
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT));
            psql.execute("delete from postrider.event where type = 'd'");
            assertThatThrownBy(() -> read(door, 2))
                    .as("a position whose event is gone")
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT));
        }
    }

    @Test
    void a_thread_waiting_for_a_head_is_woken_by_a_pass_and_by_a_signal(TestDatabase database) throws Exception {
        try (Psql psql = new Psql(database)) {
            Database door = door(database);
            follow(door, "orders");
            CompletableFuture<Long> waiting = Background.get(this::awaitSomething);
            psql.emit("orders", "a").passAll();
            door.autocommit(session -> {
                heads.refresh(session);
                return true;
            });
            assertThat(waiting.get(60, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo(1);
            heads.nudge("orders");
            long began = System.nanoTime();
            heads.awaitBeyond("orders", 100, Duration.ofSeconds(60));
            assertThat(System.nanoTime() - began)
                    .isLessThan(Duration.ofSeconds(30).toNanos());
        }
    }

    private long awaitSomething() {
        try {
            while (heads.head("orders") == 0) {
                heads.awaitBeyond("orders", 0, Duration.ofSeconds(20));
            }
            return heads.head("orders");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<LogEvent> read(Database door, long after) {
        return new LogReader(door)
                .read("orders", after, Long.MAX_VALUE, 10, ReadFilter.ALL, heads, 1)
                .events();
    }

    private void follow(Database door, String topic) {
        door.autocommit(session -> {
            heads.follow(session, topic);
            return true;
        });
    }

    private static Pass pass(Database door, long n) {
        return door.autocommit(session ->
                session.one(PASS, bind -> bind.int8("n", n), Pass::read).orElseThrow());
    }

    private static Database door(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.of("postrider"));
    }
}
