package io.postrider.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.ClaimedJob;
import io.postrider.CodedException;
import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.Reach;
import io.postrider.UnavailableException;
import io.postrider.Worker;
import io.postrider.admin.Adoption;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Analytics;
import io.postrider.admin.Analytics.Count;
import io.postrider.admin.CountQuery;
import io.postrider.admin.CountQuery.Bucket;
import io.postrider.admin.CountQuery.By;
import io.postrider.admin.EventFilter;
import io.postrider.admin.EventLog;
import io.postrider.admin.EventLogCursor;
import io.postrider.admin.Jobs;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What the docs show is what runs: each Java snippet is a region of a test, each SQL snippet is executed. */
@PostgresTest
class DocsTest {
    private static final Path ROOT = Path.of("..");

    private final CountDownLatch mailed = new CountDownLatch(1);

    @Test
    void the_first_steps_of_the_readme(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            execute(
                    pool,
                    "create table orders (id int primary key); create table booked (position bigint primary key)");
            firstSteps(pool);
            assertThat(mailed.getCount()).isZero();
            assertThat(number(pool, "select count(*) from orders")).isEqualTo(1);
        }
    }

    private void firstSteps(DataSource dataSource) throws Exception {
        // region README
        try (Postrider postrider = Postrider.on(dataSource).migrate()) {
            postrider.add(Listener.transactional("ledger", "orders", (connection, event) -> book(connection, event)));
            postrider.add(Listener.relay("mail", "orders", event -> mail(event.payload())));
            postrider.start();
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                placeOrder(connection, 42);
                Event placed =
                        Event.of("orders", "order.placed", "{\"order\": 42}").withKey("42");
                postrider.emit(connection, placed);
                connection.commit();
            }
            awaitMail();
        }
        // endregion
    }

    @Test
    void the_first_job_of_the_readme(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate()) {
            execute(pool, "create table orders (id int primary key)");
            firstJob(pool, postrider);
            awaitMail();
        }
    }

    private void firstJob(DataSource dataSource, Postrider postrider) throws SQLException {
        // region README, jobs
        postrider.add(Worker.on("mail").handling("receipt", job -> {
            mail(job.payload());
            return Fate.done();
        }));
        postrider.start();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            placeOrder(connection, 42);
            postrider.enqueue(connection, Job.of("mail", "receipt", "{\"order\": 42}"));
            connection.commit();
        }
        // endregion
    }

    @Test
    void the_first_job(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start();
                Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            // region jobs
            postrider.add(Worker.on("mail").handling("welcome", job -> {
                send(job.payload());
                return Fate.done();
            }));
            postrider.enqueue(connection, Job.of("mail", "welcome", "{\"to\": \"anne\"}"));
            connection.commit();
            // endregion
            awaitMail();
        }
    }

    @Test
    void the_error_codes_of_jobs(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start();
                Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            // region jobs, error codes
            postrider.add(Worker.on("payments").handling("charge", job -> {
                if (isCardExpired(job)) {
                    return Fate.dead("card_expired", "the card of order 42 has expired");
                }
                if (isBankBusy()) {
                    return Fate.retry("bank_busy", "the bank asked us to try later");
                }
                throw new CodedException("bank_error", "the bank answered 500");
            }));
            // endregion
            UUID job = postrider.enqueue(connection, Job.of("payments", "charge", "{}"));
            connection.commit();
            Await.until(
                    "it has failed",
                    Duration.ofSeconds(60),
                    () -> postrider.jobs().find(job).map(Jobs.Status::errorCode).isPresent());
            assertThat(postrider.jobs().find(job).orElseThrow().errorCode()).isEqualTo("bank_error");
        }
    }

    private static boolean isCardExpired(ClaimedJob job) {
        return job.attempt() < 0;
    }

    private static boolean isBankBusy() {
        return false;
    }

    @Test
    void moving_in(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start()) {
            execute(
                    pool,
                    "create table outbox (id bigserial primary key, event_type text, payload jsonb, processed_at timestamptz);"
                            + " insert into outbox (event_type, payload, processed_at) values ('a', '{}', now());"
                            + " insert into outbox (event_type, payload) values ('b', '{\"order\": 42}')");
            // region moving in
            Adoptions adoptions = postrider.adoptions();
            Adoption adoption = Adoption.of("outbox").withTopic("orders");
            Adoptions.Plan plan = adoptions.plan(adoption);
            adoptions.bridge(adoption);
            adoptions.importRows("outbox", Adoptions.Rows.ALL, false, progress -> {});
            Listener mail = Listener.relay("mail", "orders", event -> mail(event.payload()));
            postrider.add(mail.withStart(adoptions.afterFinished("outbox")));
            // endregion
            assertThat(plan.rows()).isEqualTo(2);
            awaitMail();
        }
    }

    @Test
    void a_job_that_checks_the_state_before_it_acts(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start();
                Connection connection = pool.getConnection()) {
            // region jobs, state check
            postrider.add(Worker.on("billing").handling("charge", job -> {
                String order = job.payload();
                if (isCharged(order)) {
                    return Fate.done(); // an earlier attempt has done it
                }
                charge(order, job.id()); // the provider refuses a second charge with the same id
                markCharged(order);
                return Fate.done();
            }));
            // endregion
            connection.setAutoCommit(false);
            UUID id = postrider.enqueue(connection, Job.of("billing", "charge", "42"));
            connection.commit();
            Await.until(
                    "it is done",
                    Duration.ofSeconds(60),
                    () -> postrider.jobs().find(id).orElseThrow().state() == Jobs.State.DONE);
            assertThat(postrider.jobs().find(id).orElseThrow().attempts()).isEqualTo(2);
            assertThat(charges).containsExactly(id);
        }
    }

    private final List<UUID> charges = new CopyOnWriteArrayList<>();
    private final AtomicBoolean charged = new AtomicBoolean();

    private boolean isCharged(String order) {
        return order.equals("42") && charged.get();
    }

    private void charge(String order, UUID id) {
        assertThat(order).isEqualTo("42");
        charges.add(id);
    }

    /** Records the charge; then the worker's process ends, as far as the job can tell. */
    private void markCharged(String order) {
        charged.set(order.equals("42"));
        throw new IllegalStateException("ended after the charge was recorded");
    }

    @Test
    void the_event_log(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start();
                Connection connection = pool.getConnection()) {
            // region event log
            EventLog eventLog = postrider.eventLog();
            postrider.add(eventLog.listener("orders"));
            // endregion
            Event placed = Event.of("orders", "order.placed", "{}");
            connection.setAutoCommit(false);
            postrider.emit(connection, placed.withProject("p1").withUser("u1").withAggregate("order", "42"));
            connection.commit();
            Await.until("it is recorded", Duration.ofSeconds(60), () -> eventLog.reached("orders") == 1);
            // region event log, reading
            Reach reach = Reach.project("p1");
            List<LogEvent> next =
                    eventLog.read(reach, EventFilter.topic("orders").withUser("u1"), 0, 100);
            List<LogEvent> latest = eventLog.read(reach, EventFilter.all(), EventLogCursor.before(Instant.now()), 100);
            Optional<LogEvent> state = eventLog.latest(reach, "orders", "order", "42");
            CountQuery week = CountQuery.between(Instant.now().minus(Duration.ofDays(7)), Instant.now());
            Analytics analytics = eventLog.analytics();
            List<Count> perHour =
                    analytics.counts(reach, week.withBucket(Bucket.HOUR).withBy(By.TYPE));
            // endregion
            assertThat(next).isEqualTo(latest).containsExactly(state.orElseThrow());
            assertThat(perHour).singleElement().extracting(Count::name).isEqualTo("order.placed");
        }
    }

    @Test
    void a_relay_that_reports_an_outage(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Postrider postrider = Postrider.on(pool).migrate().start();
                Connection connection = pool.getConnection()) {
            // region listeners, outages
            postrider.add(Listener.relay("mail", "orders", event -> {
                if (!isMailServerUp()) {
                    throw new UnavailableException(Duration.ofSeconds(30), "mail server is down");
                }
                mail(event.payload());
            }));
            // endregion
            connection.setAutoCommit(false);
            postrider.emit(connection, Event.of("orders", "order.placed", "{\"order\": 42}"));
            connection.commit();
            awaitMail();
        }
    }

    private boolean isMailServerUp() {
        return mailed.getCount() > 0;
    }

    private void send(String payload) {
        assertThat(payload).isEqualTo("{\"to\": \"anne\"}");
        mailed.countDown();
    }

    @Test
    void every_java_snippet_is_a_region_of_this_file_or_of_a_sinks_own_test() throws IOException {
        Pattern region = Pattern.compile("(?s)// region [^\n]*\n(.*?)\n *// endregion");
        List<String> known = new ArrayList<>();
        for (Path file : List.of(
                Path.of("src/test/java/io/postrider/docs/DocsTest.java"),
                ROOT.resolve("sinks/kafka/src/test/java/io/postrider/kafka/KafkaReadmeTest.java"))) {
            region.matcher(Files.readString(file)).results().forEach(found -> known.add(inOneLine(found.group(1))));
        }
        List<String> shown = new ArrayList<>();
        for (Path page : pages()) {
            snippets(page, "java").forEach(snippet -> shown.add(inOneLine(snippet)));
        }
        assertThat(shown).isNotEmpty().isSubsetOf(known);
    }

    @Test
    void every_sql_snippet_runs(TestDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            Postrider.on(pool).migrate();
            execute(pool, "do $$ begin create role app; exception when duplicate_object then null; end $$");
            int ran = 0;
            for (Path page : pages()) {
                for (String snippet : snippets(page, "sql")) {
                    execute(pool, snippet.replace(" database mydb ", " database " + database.name() + " "));
                    ran++;
                }
            }
            assertThat(ran).isPositive();
            assertThat(number(pool, "select count(*) from postrider.event")).isEqualTo(3);
        }
    }

    @Test
    void every_link_between_pages_leads_somewhere() throws IOException {
        Pattern link = Pattern.compile("\\]\\((?!https?:)([^)#\\s]+)(#[^)]*)?\\)");
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            Matcher links = link.matcher(Files.readString(page));
            while (links.find()) {
                if (!Files.exists(page.resolveSibling(links.group(1)))) {
                    broken.add(page + " -> " + links.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    /** Written as `SomeTest`, or with a method as `SomeTest.some_method`. */
    @Test
    void every_test_that_the_guarantees_and_the_threat_model_name_exists() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path file : testClasses()) {
            sources.merge(className(file), Files.readString(file), String::concat);
        }
        Pattern named = Pattern.compile("`(\\w+Test)(?:\\.(\\w+))?`");
        for (String page : List.of("docs/guarantees.md", "SECURITY.md")) {
            List<MatchResult> names = named.matcher(Files.readString(ROOT.resolve(page)))
                    .results()
                    .toList();
            assertThat(names).as(page).hasSizeGreaterThan(10);
            for (MatchResult name : names) {
                assertThat(sources).as(page).containsKey(name.group(1));
                if (name.group(2) != null) {
                    assertThat(sources.get(name.group(1)))
                            .as(page + " names " + name.group())
                            .contains("void " + name.group(2) + "(");
                }
            }
        }
    }

    /** Otherwise {@code ./test security} leaves out a promise. A name that several modules use is tagged in each of them. */
    @Test
    void the_test_classes_that_the_threat_model_names_are_those_tagged_security() throws IOException {
        TreeSet<String> named = Pattern.compile("`(\\w+Test)(?:\\.\\w+)?`")
                .matcher(Files.readString(ROOT.resolve("SECURITY.md")))
                .results()
                .map(test -> test.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).hasSizeGreaterThan(90);
        List<String> untagged = new ArrayList<>();
        List<String> unnamed = new ArrayList<>();
        for (Path file : testClasses()) {
            boolean isTagged = Files.readString(file).contains("\n@Tag(\"security\")\n");
            if (isTagged != named.contains(className(file))) {
                (isTagged ? unnamed : untagged).add(file.toString());
            }
        }
        assertThat(untagged)
                .as("named in SECURITY.md without @Tag(\"security\")")
                .isEmpty();
        assertThat(unnamed)
                .as("@Tag(\"security\") without a place in SECURITY.md")
                .isEmpty();
    }

    private static List<Path> testClasses() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 12)) {
            return files.filter(path -> path.toString().endsWith("Test.java")).toList();
        }
    }

    private static String className(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    private void book(Connection connection, LogEvent event) throws SQLException {
        try (var insert = connection.prepareStatement("insert into booked values (?)")) {
            insert.setLong(1, event.position());
            insert.executeUpdate();
        }
    }

    private void mail(String payload) {
        assertThat(payload).isEqualTo("{\"order\": 42}");
        mailed.countDown();
    }

    private void awaitMail() throws InterruptedException {
        assertThat(mailed.await(60, TimeUnit.SECONDS)).as("the mail was sent").isTrue();
    }

    private static void placeOrder(Connection connection, int order) throws SQLException {
        try (var insert = connection.prepareStatement("insert into orders values (?)")) {
            insert.setInt(1, order);
            insert.executeUpdate();
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> top = Files.list(ROOT)) {
            return Stream.concat(docs, top)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> snippets(Path page, String language) throws IOException {
        Matcher blocks = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(Files.readString(page));
        List<String> snippets = new ArrayList<>();
        while (blocks.find()) {
            snippets.add(blocks.group(1).strip());
        }
        return snippets;
    }

    /** Lines are broken by a formatter in one place and by a person in the other. */
    private static String inOneLine(String snippet) {
        return snippet.strip().replaceAll("\\s+", " ");
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }
}
