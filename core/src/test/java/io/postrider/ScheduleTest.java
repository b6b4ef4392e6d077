package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@PostgresTest
@Tag("hot")
class ScheduleTest {
    @Test
    void a_tick_has_one_job_on_however_many_nodes(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        List<Node> nodes = new ArrayList<>();
        try (Psql psql = new Psql(database)) {
            for (int i = 0; i < 3; i++) {
                Node node = new Node(database);
                nodes.add(node);
                node.postrider
                        .add(Worker.on("reports").handling("nightly", job -> {
                            done.add(job.headers());
                            return Fate.done();
                        }))
                        .start();
            }
            nodes.get(0).postrider.schedules().set(Schedule.of("nightly", "0 3 * * *", "reports", "nightly"));
            for (int tick = 1; tick <= 5; tick++) {
                psql.execute("update postrider.schedule set next_at = '2026-01-0" + tick + " 03:00:00+00'");
                int wanted = tick;
                Await.until("tick " + tick + " is done", Duration.ofSeconds(60), () -> done.size() == wanted);
                assertThat(psql.number("select count(*) from postrider.schedule where next_at > clock_timestamp()"))
                        .isEqualTo(1);
            }
            assertThat(done).hasSize(5).doesNotHaveDuplicates().allMatch(headers -> headers.contains("\"tick\""));
            assertThat(nodes.get(0).postrider.schedules().list())
                    .singleElement()
                    .satisfies(one -> {
                        assertThat(one.lastAt()).isEqualTo("2026-01-05T03:00:00Z");
                        assertThat(one.lastJob()).isNotNull();
                    });
        } finally {
            nodes.forEach(Node::close);
        }
    }

    @Test
    void a_schedule_that_is_set_again_keeps_its_tick_unless_its_time_changes(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            Schedule schedule = Schedule.of("s", "0 3 * * *", "q", "t");
            node.postrider.schedules().set(schedule);
            psql.execute("update postrider.schedule set next_at = '2099-01-01'");
            node.postrider.schedules().set(schedule.withPayload("{\"new\": true}"));
            assertThat(psql.text("select next_at::date::text || payload from postrider.schedule"))
                    .isEqualTo("2099-01-01{\"new\": true}");
            node.postrider.schedules().set(schedule.withZone("Europe/Berlin"));
            assertThat(psql.text("select next_at::date::text from postrider.schedule"))
                    .isNotEqualTo("2099-01-01");
            node.postrider.schedules().remove("s");
            assertThatThrownBy(() -> node.postrider.schedules().remove("s")).hasMessage("no schedule s");
            assertThatThrownBy(() -> node.postrider.schedules().pause("s", true))
                    .hasMessage("no schedule s");
        }
    }

    @Test
    void a_paused_schedule_does_not_tick(TestDatabase database) {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.schedules().set(Schedule.of("s", "0 3 * * *", "q", "t"));
            node.postrider.schedules().set(Schedule.of("other", "0 3 * * *", "q", "t"));
            node.postrider.schedules().pause("s", true);
            psql.execute("update postrider.schedule set next_at = '2026-01-01'");
            node.postrider
                    .add(Worker.on("q").handling("t", job -> {
                        done.add(job.headers());
                        return Fate.done();
                    }))
                    .start();
            Await.until("the other has ticked", () -> done.size() == 1);
            assertThat(done.get(0)).contains("other");
            node.postrider.schedules().pause("s", false);
            Await.until("it ticks again", () -> done.size() == 2);
        }
    }

    @Test
    void a_malformed_schedule_is_refused_before_it_is_written() {
        assertThatThrownBy(() -> Schedule.of("s", "61 * * * *", "q", "t"))
                .hasMessage("cron field minute must be within 0..59, was '61'");
        assertThatThrownBy(() -> Schedule.of("s", "* * * * *", "q", "t").withZone("Mars"))
                .hasMessageStartingWith("zone must be a time zone");
    }
}
