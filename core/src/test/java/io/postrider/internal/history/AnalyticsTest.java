package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Migrated;
import io.postrider.Node;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.Analytics;
import io.postrider.admin.Analytics.Count;
import io.postrider.admin.Analytics.Total;
import io.postrider.admin.CountQuery;
import io.postrider.admin.CountQuery.Bucket;
import io.postrider.admin.CountQuery.By;
import io.postrider.admin.EventFilter;
import io.postrider.testkit.TestDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Counts are what one gets who counts by hand. */
@Migrated
class AnalyticsTest {
    private record Row(String topic, Instant at, String type, String project, String user) {}

    @Test
    void counts_are_those_of_a_count_by_hand(TestDatabase database) {
        long seed = System.nanoTime();
        System.out.println("analytics: seed " + seed);
        Random random = new Random(seed);
        Instant end = Instant.now().truncatedTo(ChronoUnit.MICROS);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            rows.add(new Row(
                    random.nextInt(3) == 0 ? "mails" : "orders",
                    end.minus(random.nextLong(20L * 86_400_000_000L), ChronoUnit.MICROS),
                    "t" + random.nextInt(4),
                    one(random, "p", 3),
                    one(random, "u", 5)));
        }
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            EventLogRetentionTest.past(psql, 21);
            insert(psql, rows);
            Analytics analytics = node.postrider.eventLog().analytics();
            for (int i = 0; i < 150; i++) {
                Reach reach = reach(random);
                CountQuery counting = counting(random, end);
                assertThat(analytics.counts(reach, counting))
                        .as("%s %s", reach, counting)
                        .isEqualTo(byHand(rows, reach, counting));
                assertThat(analytics.totals(reach, counting)).isEqualTo(totalsByHand(rows, reach, counting));
            }
        }
    }

    @Test
    void more_than_ten_thousand_counts_are_refused_and_totals_are_the_largest_thousand(TestDatabase database) {
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            psql.execute(
                    "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                            + " user_id) select 'orders', i, gen_random_uuid(), 't', '{}', '{}', now() - interval '1 minute',"
                            + " 'u' || greatest(i, 100) from generate_series(1, 10200) i");
            Analytics analytics = node.postrider.eventLog().analytics();
            CountQuery hour = CountQuery.between(Instant.now().minusSeconds(3_600), Instant.now())
                    .withBucket(Bucket.HOUR)
                    .withBy(By.USER);
            assertThatThrownBy(() -> analytics.counts(Reach.all(), hour))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("more than 10000 counts");
            assertThat(analytics.totals(Reach.all(), hour))
                    .hasSize(1_000)
                    .first()
                    .isEqualTo(new Total("u100", 100));
        }
    }

    @Test
    void a_count_that_takes_too_long_is_refused_and_says_what_to_do(TestDatabase database) {
        PGSimpleDataSource impatient = new PGSimpleDataSource();
        impatient.setUrl(database.jdbcUrl() + "&options=-c%20statement_timeout=1s"); // or it takes 30 s
        Analytics analytics = Postrider.on(impatient).eventLog().analytics();
        try (Psql psql = new Psql(database)) {
            psql.begin().execute("lock table postrider.event_log in access exclusive mode");
            CountQuery day = CountQuery.between(Instant.now().minusSeconds(86_400), Instant.now());
            assertThatThrownBy(() -> analytics.counts(Reach.all(), day))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("narrow");
            psql.rollback();
        }
    }

    private static CountQuery counting(Random random, Instant end) {
        Bucket bucket = Bucket.values()[random.nextInt(3)];
        long seconds = bucket.length().toSeconds() * (1 + random.nextInt(bucket == Bucket.DAY ? 25 : 400));
        Instant from = end.minusSeconds(random.nextInt(22 * 86_400));
        EventFilter of = EventFilter.all();
        if (random.nextBoolean()) {
            of = of.withTopic("orders");
        }
        if (random.nextInt(3) == 0) {
            of = of.withType("t1");
        }
        if (random.nextInt(3) == 0) {
            of = of.withProject("p2");
        }
        if (random.nextInt(3) == 0) {
            of = of.withUser("u2");
        }
        return CountQuery.between(from, from.plusSeconds(seconds))
                .withBucket(bucket)
                .withBy(By.values()[random.nextInt(4)])
                .withSelection(of);
    }

    private static Reach reach(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Reach.all();
            case 1 -> Reach.project("p" + (1 + random.nextInt(3)));
            case 2 -> Reach.user("u2", null);
            default -> Reach.user("u" + (1 + random.nextInt(5)), "p2");
        };
    }

    private static List<Row> chosen(List<Row> rows, Reach reach, CountQuery counting) {
        EventFilter of = counting.of();
        return rows.stream()
                .filter(row -> reach.covers(row.project, row.user))
                .filter(row -> !row.at.isBefore(counting.from()) && row.at.isBefore(counting.to()))
                .filter(row -> of.topic() == null || of.topic().equals(row.topic))
                .filter(row -> of.type() == null || of.type().equals(row.type))
                .filter(row -> of.projectId() == null || of.projectId().equals(row.project))
                .filter(row -> of.userId() == null || of.userId().equals(row.user))
                .toList();
    }

    private static String name(Row row, By by) {
        return switch (by) {
            case NOTHING -> null;
            case TYPE -> row.type;
            case PROJECT -> row.project;
            case USER -> row.user;
        };
    }

    private static final Comparator<String> NULLS_LAST = Comparator.nullsLast(Comparator.naturalOrder());

    private static List<Count> byHand(List<Row> rows, Reach reach, CountQuery counting) {
        Map<Instant, Map<String, Long>> counts = new TreeMap<>();
        for (Row row : chosen(rows, reach, counting)) {
            long length = counting.bucket().length().toSeconds();
            Instant bucket = Instant.ofEpochSecond(Math.floorDiv(row.at.getEpochSecond(), length) * length);
            counts.computeIfAbsent(bucket, key -> new TreeMap<>(NULLS_LAST))
                    .merge(name(row, counting.by()), 1L, Long::sum);
        }
        List<Count> list = new ArrayList<>();
        counts.forEach((bucket, names) -> names.forEach((name, events) -> list.add(new Count(bucket, name, events))));
        return list;
    }

    private static List<Total> totalsByHand(List<Row> rows, Reach reach, CountQuery counting) {
        Map<String, Long> totals = new TreeMap<>(NULLS_LAST);
        chosen(rows, reach, counting).forEach(row -> totals.merge(name(row, counting.by()), 1L, Long::sum));
        List<Total> list = new ArrayList<>();
        totals.forEach((name, events) -> list.add(new Total(name, events)));
        list.sort(Comparator.comparing(Total::events).reversed().thenComparing(Total::name, NULLS_LAST));
        return list;
    }

    private static String one(Random random, String prefix, int of) {
        int i = random.nextInt(of + 1);
        return i == 0 ? null : prefix + i;
    }

    private static void insert(Psql psql, List<Row> rows) {
        StringBuilder values = new StringBuilder();
        int position = 0;
        for (Row row : rows) {
            position++;
            values.append(position == 1 ? "" : ",")
                    .append("('")
                    .append(row.topic)
                    .append("', ")
                    .append(position)
                    .append(", gen_random_uuid(), '")
                    .append(row.type)
                    .append("', '{}', '{}', timestamptz '")
                    .append(row.at)
                    .append("', ")
                    .append(quoted(row.project))
                    .append(", ")
                    .append(quoted(row.user))
                    .append(')');
        }
        psql.execute(
                "insert into postrider.event_log (topic, position, event_id, event_type, payload, headers, created_at,"
                        + " project_id, user_id) values " + values);
    }

    private static String quoted(String value) {
        return Objects.isNull(value) ? "null" : "'" + value + "'";
    }
}
