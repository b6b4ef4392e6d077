package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.LogEvent;
import io.postrider.Migrated;
import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.Analytics.Total;
import io.postrider.admin.CountQuery;
import io.postrider.admin.CountQuery.Bucket;
import io.postrider.admin.CountQuery.By;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.admin.EventLog.Span;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.Rooms;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Among many events, in 13 partitions, every read finds its own by an index and looks at few pages. */
@Tag("slow")
@Migrated(shared = true)
class PlansTest {
    private static final int EVENTS = TestRun.count(200_000, 1_000_000);
    private static final int MIDDLE = EVENTS * 2 / 5; // of the topic orders, which has four of five events
    private static final Pattern PAGES = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    /** What user u1 of project p1 may read. */
    private static final String OF_U1 = "user_id = 'u1' and (project_id is null or project_id = 'p1')";

    private final TestDatabase database;

    PlansTest(TestDatabase database) {
        this.database = database;
    }

    /** 60 days, two topics of 4 to 1; a project for 2,000 events, a user for 50, an order for 10; a tenth without a project. */
    @BeforeEach
    void fill() {
        try (Psql psql = new Psql(database)) {
            if (psql.number("select count(*) from postrider.event_log") > 0) {
                return;
            }
            EventLogRetentionTest.past(psql, 63);
            psql.execute(
                            "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                                    + " project_id, user_id, aggregate_type, aggregate_id)"
                                    + " select case when i % 5 = 0 then 'mails' else 'orders' end,"
                                    + " case when i % 5 = 0 then i / 5 else i - i / 5 end, gen_random_uuid(), 't' || i % 20,"
                                    + " jsonb_build_object('n', i), '{}',"
                                    + " now() - (" + EVENTS + " - i) * interval '60 days' / " + EVENTS + ","
                                    + " case when i % 10 > 0 then 'p' || hashint4(i) % " + EVENTS / 2_000
                                    + " end, 'u' || hashint4(i) % " + EVENTS / 50 + ", 'order',"
                                    + " hashint4(i) % " + EVENTS / 10 + " from generate_series(1, " + EVENTS + ") i")
                    .execute("vacuum analyze postrider.event_log");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
    void every_read_uses_an_index_and_few_buffers(String mode) {
        Explaining explaining = new Explaining(database.dataSource(), mode);
        EventLog eventLog = Postrider.on(explaining).eventLog();
        EventFilter orders = EventFilter.topic("orders");
        UUID id = UUID.fromString(ids("project_id = 'p1' order by position").get(0));
        Instant thirtyDaysAgo = Instant.now().minus(Duration.ofDays(30));
        EventLogCursor monthAgo = EventLogCursor.before(thirtyDaysAgo);
        Reach p1 = Reach.project("p1");
        Reach u1 = Reach.user("u1", "p1");

        assertThat(eventLog.read(Reach.all(), orders, MIDDLE, 100)).hasSize(100);
        assertPlan(explaining, "pkey", 2_000);
        assertThat(eventLog.read(p1, orders, MIDDLE, 100)).hasSize(100);
        assertPlan(explaining, "project_id_topic_position_idx", 2_000);
        assertThat(eventLog.read(Reach.all(), orders.withProject("p2"), MIDDLE, 100))
                .hasSize(100);
        assertPlan(explaining, "project_id_topic_position_idx", 2_000);
        assertThat(eventLog.read(u1, orders, 100, 100))
                .extracting(event -> event.id().toString())
                .isNotEmpty()
                .isEqualTo(ids(OF_U1 + " and topic = 'orders' and position > 100 order by position"));
        assertPlan(explaining, "user_id_topic_position_idx", 2_000);
        assertThat(eventLog.read(Reach.all(), orders.withAggregate("order", "77"), 0, 100))
                .isNotEmpty();
        assertPlan(explaining, "aggregate_id_aggregate_type_topic_position_idx", 2_000);
        assertThat(eventLog.read(Reach.all(), EventFilter.all(), monthAgo, 100)).hasSize(100);
        assertPlan(explaining, "created_at_idx", 2_000);
        assertThat(eventLog.read(Reach.all(), orders, monthAgo, 100)).hasSize(100);
        assertPlan(explaining, "created_at_idx", 2_000);
        assertThat(eventLog.read(p1, EventFilter.all(), monthAgo, 100)).hasSize(100);
        assertPlan(explaining, "project_id_created_at_idx", 2_000);
        assertThat(eventLog.read(u1, EventFilter.all(), monthAgo, 100))
                .extracting(event -> event.id().toString())
                .isNotEmpty()
                .isEqualTo(ids(OF_U1 + " and created_at < '" + thirtyDaysAgo + "' order by created_at desc"));
        assertPlan(explaining, "user_id_created_at_idx|user_id_topic_position_idx", 2_000);
        assertThat(eventLog.find(p1, id)).map(LogEvent::id).hasValue(id);
        assertPlan(explaining, "event_id_idx", 2_000);
        assertThat(eventLog.latest(Reach.all(), "orders", "order", "77")).isPresent();
        assertPlan(explaining, "aggregate_id_aggregate_type_topic_position_idx", 2_000);
        Rooms rooms = new Rooms(Set.of("p1", "p2"), Set.of("u1"));
        assertThat(eventLog.page(Reach.all(), rooms, new Span("orders", MIDDLE, EVENTS), 100, 8 << 20)
                        .events())
                .hasSize(100);
        assertPlan(explaining, "project_id_topic_position_idx", 4_000);

        CountQuery week = CountQuery.between(
                        Instant.now().minus(Duration.ofDays(17)), Instant.now().minus(Duration.ofDays(10)))
                .withBucket(Bucket.HOUR)
                .withBy(By.TYPE);
        assertThat(eventLog.analytics().counts(p1, week)).isNotEmpty();
        assertPlan(explaining, "project_id_created_at_idx", 2_000);
        assertThat(eventLog.analytics().totals(u1, week).stream()
                        .mapToLong(Total::events)
                        .sum())
                .isPositive()
                .isEqualTo(ids(OF_U1 + " and created_at >= '" + week.from() + "' and created_at < '" + week.to() + "'")
                        .size());
        assertPlan(explaining, "user_id_created_at_idx", 2_000);
        CountQuery hour = CountQuery.between(
                Instant.now().minus(Duration.ofHours(50)), Instant.now().minus(Duration.ofHours(49)));
        assertThat(eventLog.analytics().totals(Reach.all(), hour.withBy(By.PROJECT)))
                .isNotEmpty();
        assertPlan(explaining, "created_at_idx", 4_000);
    }

    /** The ids of the first 100 rows, without Postrider's statements, policies and plans. */
    private List<String> ids(String where) {
        try (Psql psql = new Psql(database)) {
            return psql.texts("select event_id from postrider.event_log where " + where + " limit 100");
        }
    }

    private static void assertPlan(Explaining explaining, String index, int most) {
        List<String> plans = explaining.take();
        assertThat(plans).hasSize(1);
        String plan = plans.get(0);
        assertThat(plan).doesNotContain("Seq Scan").containsPattern(index);
        int read = pages(plan);
        System.out.printf("%-50s %5d pages%n", index, read);
        assertThat(read).as(plan).isLessThan(most);
    }

    /** How many pages a statement looked at. */
    static int pages(String plan) {
        Matcher pages = PAGES.matcher(plan);
        assertThat(pages.find()).as(plan).isTrue();
        return number(pages.group(1)) + number(pages.group(2));
    }

    private static int number(String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }
}
