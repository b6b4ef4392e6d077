package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.admin.DeadLetters;
import io.postrider.gateway.Identity.Reach;
import io.postrider.server.LiveServer.Reply;
import io.postrider.server.api.Api;
import io.postrider.server.api.Need;
import io.postrider.server.api.Route;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/**
 * Two projects, two users, an event, a job and a dead letter of each: on every route, on the stream, on the socket and where they
 * replay, nobody ever sees the mark of what is not theirs. Every payload, key and error carries the mark of whose it is.
 */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class IsolationTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final List<Owner> OWNERS = List.of(
            new Owner("red", "ada"),
            new Owner("red", "bob"),
            new Owner("blue", "ada"),
            new Owner("blue", "bob"),
            new Owner("red", null),
            new Owner("blue", null),
            new Owner(null, "ada"),
            new Owner(null, "bob"),
            new Owner("green", "eve"),
            new Owner("green", null),
            new Owner(null, null));
    private static final Map<Owner, String> events = new LinkedHashMap<>();
    private static final Map<Owner, String> jobs = new LinkedHashMap<>();
    private static final Map<Owner, String> letters = new LinkedHashMap<>();
    private static final List<String> ROUNDS = List.of("old", "fresh", "live", "last");
    private static LiveServer server;

    /** Whose something is. */
    private record Owner(String project, String user) {
        /** Stands in everything that is theirs and was there from the beginning. */
        String mark() {
            return mark("old");
        }

        String mark(String round) {
            return "mark-" + round + "-" + project + "-" + user + "-end";
        }

        Event event(String type, String round) {
            return Event.of("orders", type, "{\"mark\":\"" + mark(round) + "\"}")
                    .withProject(project)
                    .withUser(user)
                    .withKey(mark(round))
                    .withAggregate("order", "shared");
        }
    }

    /** Who asks; a service has no user. What is in their reach follows by the one rule, written down once more. */
    private record Asker(String project, String user) {
        String name() {
            return user == null
                    ? project + "'s service"
                    : user + (project == null ? " of no project" : " in " + project);
        }

        String token() {
            return user == null ? server.project(project) : server.user(user, project);
        }

        String room() {
            return user == null ? "project:" + project : "user:" + user;
        }

        boolean reaches(Owner owner) {
            return user == null
                    ? project.equals(owner.project())
                    : user.equals(owner.user())
                            && (owner.project() == null || owner.project().equals(project));
        }

        /** Whether it may write under these names; null is left out, and taken from the token. */
        boolean mayWriteAs(Owner owner) {
            return project != null
                    && (owner.project() == null || owner.project().equals(project))
                    && (user == null || owner.user() == null || owner.user().equals(user));
        }
    }

    private static final List<Asker> ASKERS = List.of(
            new Asker("red", null),
            new Asker("blue", null),
            new Asker("red", "ada"),
            new Asker("blue", "bob"),
            new Asker(null, "ada"),
            new Asker("green", "eve"),
            new Asker("green", null));

    private static Listener failing() {
        return Listener.relay("fails", "orders", event -> {
                    throw new IllegalStateException("failed at " + event.payload());
                })
                .withAttempts(1)
                .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        Listener fails() {
            return failing();
        }
    }

    /** What is old was there before the server came: with 16 events in memory it has the first of it in the event log only. */
    @BeforeAll
    static void serve(TestDatabase database) throws Exception {
        try (Postrider before = Postrider.on(database.dataSource()).migrate()) {
            before.add(failing()).add(before.eventLog().listener("orders")).start();
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                for (Owner owner : OWNERS) {
                    events.put(
                            owner,
                            before.emit(connection, owner.event("placed", "old"))
                                    .toString());
                    Job job = Job.of("mail", "receipt", "{\"mark\":\"" + owner.mark() + "\"}")
                            .withProject(owner.project())
                            .withUser(owner.user())
                            .withKey(owner.mark());
                    jobs.put(owner, before.enqueue(connection, job).toString());
                    connection.commit();
                }
            }
            Await.until(
                    "all of it is there",
                    LONG,
                    () -> before.eventLog().reached("orders") == OWNERS.size()
                            && before.deadLetters()
                                            .find(DeadLetters.Filter.all(), 0, 100)
                                            .size()
                                    == OWNERS.size());
            before.deadLetters()
                    .find(DeadLetters.Filter.all(), 0, 100)
                    .forEach(letter -> OWNERS.stream()
                            .filter(owner -> letter.event().payload().contains(owner.mark()))
                            .forEach(owner -> letters.put(owner, Long.toString(letter.id()))));
        }
        assertThat(letters).hasSize(OWNERS.size());
        server = LiveServer.on(
                database,
                Map.of(
                        "postrider.api.user-topics",
                        "orders",
                        "postrider.api.user-queues",
                        "mail,letters",
                        "postrider.gateway.recent",
                        "16"),
                Failing.class);
    }

    @AfterAll
    static void end() {
        server.close();
    }

    /** The check itself: nothing of what is not in reach, of whatever round. */
    private static void assertNoLeak(Asker asker, String where, String text) {
        for (Owner owner : OWNERS) {
            if (!asker.reaches(owner)) {
                for (String round : ROUNDS) {
                    assertThat(text)
                            .as(asker.name() + " sees " + owner + " by " + where)
                            .doesNotContain(owner.mark(round));
                }
            }
        }
    }

    @Test
    void every_route_with_every_id_in_path_query_and_body_gives_nobody_what_is_anothers() {
        for (Asker asker : ASKERS) {
            for (Route route : server.server().bean(Api.class).routes()) {
                for (String path : paths(route)) {
                    for (String filter : filters(route)) {
                        String full = path + (filter.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + filter);
                        for (String body : bodies(route)) {
                            Reply reply = route.hasBody()
                                    ? server.post(asker.token(), full, body)
                                    : server.get(asker.token(), full);
                            assertThat(reply.status()).as(full).isLessThan(500);
                            assertNoLeak(asker, route.method() + " " + full + " " + body, reply.text());
                        }
                    }
                }
            }
        }
        for (Owner owner : OWNERS) {
            assertThat(server.get(server.operator(), "/v1/dead-letters/" + letters.get(owner))
                            .status())
                    .as("nobody has thrown away the dead letter of " + owner)
                    .isEqualTo(200);
        }
    }

    /** Every narrowing that a route takes, with the ids of everybody. */
    private static List<String> filters(Route route) {
        List<String> filters = new ArrayList<>(List.of(""));
        if (route.takes().contains("project_id")) {
            filters.addAll(List.of(
                    "project_id=red",
                    "project_id=blue",
                    "user_id=ada",
                    "user_id=bob",
                    "project_id=red&user_id=bob",
                    "type=placed"));
        }
        if (route.takes().contains("key")) {
            OWNERS.forEach(owner -> filters.add("key=" + owner.mark()));
            filters.addAll(List.of("listener=fails", "error=mark", "topic=orders"));
        }
        return filters;
    }

    /** Bodies with the ids of everybody; what writes is looked at below. */
    private static List<String> bodies(Route route) {
        return switch (route.path()) {
            case "/v1/dead-letters/replay", "/v1/dead-letters/discard" ->
                List.of(
                        "{}",
                        "{\"all\":true}",
                        "{\"listener\":\"fails\"}",
                        "{\"ids\":[" + String.join(",", letters.values()) + "]}");
            case "/v1/tokens/revoke" -> List.of("{\"jti\":\"x\",\"expires_at\":\"2100-01-01T00:00:00Z\"}");
            case "/v1/listeners/{name}/reset", "/v1/relays/{name}/reset" -> List.of("{\"to\":\"beginning\"}");
            default -> List.of("{}");
        };
    }

    @Test
    void writing_under_another_name_is_refused_alone_and_in_a_batch() {
        for (Asker asker : ASKERS) {
            for (Owner owner : OWNERS) {
                String one = "{\"type\":\"forged\",\"payload\":1"
                        + (owner.project() == null ? "" : ",\"project_id\":\"" + owner.project() + "\"")
                        + (owner.user() == null ? "" : ",\"user_id\":\"" + owner.user() + "\"");
                int expected = asker.mayWriteAs(owner) ? 201 : 403;
                String as = asker.name() + " as " + owner;
                assertThat(server.post(asker.token(), "/v1/topics/orders/events", one + "}")
                                .status())
                        .as(as)
                        .isEqualTo(expected);
                assertThat(server.post(
                                        asker.token(),
                                        "/v1/topics/orders/events",
                                        "[{\"type\":\"forged\",\"payload\":1}," + one + "}]")
                                .status())
                        .as(as + " in a batch")
                        .isEqualTo(expected);
                assertThat(server.post(
                                        asker.token(),
                                        "/v1/queues/letters/jobs",
                                        one + ",\"run_at\":\"2100-01-01T00:00:00Z\"}")
                                .status())
                        .as(as + " a job")
                        .isEqualTo(expected);
            }
        }
    }

    /** The id of an event is the producer's to choose, so two may have the same: each is found by its own. */
    @Test
    void reusing_the_id_of_anothers_event_neither_shows_nor_hides_it() {
        Owner blue = new Owner("blue", null);
        Asker red = ASKERS.get(0);
        String id = server.post(
                        server.project("blue"),
                        "/v1/topics/orders/events",
                        "{\"type\":\"forged\",\"payload\":\"" + blue.mark() + "\"}")
                .json()
                .path("id")
                .asString();
        Reply taken = server.post(
                red.token(),
                "/v1/topics/orders/events",
                "{\"type\":\"forged\",\"payload\":\"red's\",\"id\":\"" + id + "\"}");
        assertThat(taken.status()).isEqualTo(201);
        Await.until(
                "red finds its own",
                LONG,
                () -> server.get(red.token(), "/v1/events/" + id).status() == 200);
        assertNoLeak(
                red,
                "the id of another",
                server.get(red.token(), "/v1/events/" + id).text());
        assertThat(server.get(server.project("blue"), "/v1/events/" + id).text())
                .contains(blue.mark())
                .doesNotContain("red's");
    }

    /** With the ids of everything, whoever's it is. */
    private static List<String> paths(Route route) {
        List<String> paths = new ArrayList<>();
        Map<Owner, String> ids =
                route.path().startsWith("/v1/events") ? events : route.path().startsWith("/v1/jobs") ? jobs : letters;
        String plain = route.path()
                .replace("{topic}", "orders")
                .replace("{queue}", "mail")
                .replace("{name}", "fails");
        if (plain.contains("{id}")) {
            ids.values().forEach(id -> paths.add(plain.replace("{id}", id)));
        } else if (plain.equals("/v1/jobs")) {
            paths.add("/v1/jobs?queue=mail");
            paths.add("/v1/jobs?queue=mail&state=PENDING");
        } else if (plain.equals("/v1/analytics/latest")) {
            paths.add("/v1/analytics/latest?topic=orders&aggregate_type=order&aggregate_id=shared");
        } else {
            paths.add(plain);
        }
        return paths;
    }

    @Test
    void what_is_in_reach_is_there_and_what_is_not_is_not_found() {
        for (Asker asker : ASKERS) {
            for (Owner owner : OWNERS) {
                int expected = asker.reaches(owner) ? 200 : 404;
                String as = asker.name() + " asks for what is of " + owner;
                assertThat(server.get(asker.token(), "/v1/events/" + events.get(owner))
                                .status())
                        .as(as)
                        .isEqualTo(expected);
                assertThat(server.get(asker.token(), "/v1/jobs/" + jobs.get(owner))
                                .status())
                        .as(as)
                        .isEqualTo(expected);
            }
            long reached = OWNERS.stream().filter(asker::reaches).count();
            assertThat(server.get(asker.token(), "/v1/topics/orders/events?type=placed")
                            .json()
                            .path("events"))
                    .as(asker.name())
                    .hasSize((int) reached);
            assertThat(server.get(asker.token(), "/v1/jobs?queue=mail").json().path("jobs"))
                    .as(asker.name())
                    .hasSize((int) reached);
            assertThat(server.get(asker.token(), "/v1/analytics/totals?topic=orders&type=placed")
                            .json()
                            .at("/totals/0/events")
                            .asLong(0))
                    .as(asker.name())
                    .isEqualTo(reached);
        }
    }

    @Test
    void counts_by_project_and_user_name_nobody_else() {
        for (Asker asker : ASKERS) {
            for (String by : List.of("project", "user")) {
                String text = server.get(asker.token(), "/v1/analytics/totals?by=" + by + "&topic=orders&type=placed")
                        .text();
                List<String> named = by.equals("project") ? List.of("red", "blue") : List.of("ada", "bob");
                for (String name : named) {
                    boolean reached = OWNERS.stream()
                            .filter(asker::reaches)
                            .anyMatch(owner -> name.equals(by.equals("project") ? owner.project() : owner.user()));
                    if (!reached) {
                        assertThat(text).as(asker.name() + " by " + by).doesNotContain("\"" + name + "\"");
                    }
                }
            }
        }
    }

    @Test
    void what_a_project_or_user_calls_unique_neither_meets_nor_tells_of_anothers() {
        String body =
                "{\"type\":\"receipt\",\"payload\":1,\"unique_key\":\"invoice-4711\",\"key\":\"k\",\"run_at\":\"2100-01-01T00:00:00Z\"}";
        List<String> tokens = List.of(
                server.project("red"),
                server.project("blue"),
                server.user("ada", "red"),
                server.user("bob", "red"),
                server.user("ada", "blue"),
                server.operator());
        java.util.Set<String> ids = new java.util.HashSet<>();
        for (String token : tokens) {
            assertThat(server.post(token, "/v1/queues/letters/jobs", body).status())
                    .isEqualTo(201);
            Reply again = server.post(token, "/v1/queues/letters/jobs", body);
            assertThat(again.status()).isEqualTo(200);
            ids.add(again.json().path("id").asString());
        }
        assertThat(ids).hasSize(tokens.size());
    }

    @Test
    void only_an_operator_gives_a_job_its_id() {
        String body = "{\"type\":\"receipt\",\"payload\":1,\"run_at\":\"2100-01-01T00:00:00Z\",\"id\":\""
                + UUID.randomUUID() + "\"}";
        Reply refused = server.post(server.project("red"), "/v1/queues/letters/jobs", body);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.json().path("next").asString()).contains("unique_key");
        assertThat(server.post(server.operator(), "/v1/queues/letters/jobs", body)
                        .status())
                .isEqualTo(201);
    }

    @Test
    void a_foreign_job_is_neither_cancelled_nor_tried_again() {
        Asker red = ASKERS.get(0);
        for (Owner owner : OWNERS) {
            if (!red.reaches(owner)) {
                String path = "/v1/jobs/" + jobs.get(owner);
                String before =
                        server.get(server.operator(), path).json().path("state").asString();
                assertThat(server.post(red.token(), path + "/cancel", "").status())
                        .isEqualTo(404);
                assertThat(server.post(red.token(), path + "/retry", "").status())
                        .isEqualTo(404);
                assertThat(server.get(server.operator(), path)
                                .json()
                                .path("state")
                                .asString())
                        .isEqualTo(before);
            }
        }
    }

    /** Only an operator and a producer in the database choose job ids. Each token steers the job that it reaches. */
    @Test
    void of_two_jobs_with_one_id_each_project_sees_cancels_and_retries_its_own() {
        String path = "/v1/jobs/" + UUID.randomUUID();
        List<String> projects = List.of("blue", "red");
        for (String project : projects) {
            String body = "{\"type\":\"receipt\",\"payload\":\"" + project + "'s\",\"project_id\":\"" + project
                    + "\",\"id\":\"" + path.substring("/v1/jobs/".length())
                    + "\",\"run_at\":\"2100-01-01T00:00:00Z\",\"unique_key\":\"" + path + project + "\"}";
            assertThat(server.post(server.operator(), "/v1/queues/letters/jobs", body)
                            .status())
                    .isEqualTo(201);
        }
        for (String project : projects) {
            assertThat(job(project, path).path("payload").asString()).isEqualTo(project + "'s");
        }
        assertThat(server.post(server.project("red"), path + "/cancel", "").status())
                .isEqualTo(200);
        assertThat(job("red", path).path("state").asString()).isEqualTo("CANCELLED");
        assertThat(job("blue", path).path("state").asString()).isEqualTo("PENDING");
        assertThat(server.post(server.project("red"), path + "/retry", "").status())
                .isEqualTo(409);
        assertThat(server.post(server.project("green"), path + "/cancel", "").status())
                .isEqualTo(404);
        assertThat(server.post(server.project("blue"), path + "/cancel", "").status())
                .isEqualTo(200);
        assertThat(job("blue", path).path("state").asString()).isEqualTo("CANCELLED");
    }

    private static JsonNode job(String project, String path) {
        return server.get(server.project(project), path).json();
    }

    // ── streams ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** One who listens, from where on, and for whom. */
    private record Place(Asker asker, Hearing.Way way, List<String> rounds, Hearing hearing) {
        /** All that was said up to the last event that they may hear, which everything else came before. */
        String heard() {
            Owner last = OWNERS.stream()
                    .filter(asker::reaches)
                    .reduce((one, next) -> next)
                    .orElseThrow();
            return hearing.until(last.mark("last"));
        }

        void check() {
            String text = heard();
            assertNoLeak(asker, way + " from " + rounds.get(0), text);
            for (Owner owner : OWNERS) {
                if (asker.reaches(owner)) {
                    rounds.subList(0, rounds.size() - 1)
                            .forEach(round -> assertThat(text)
                                    .as(asker.name() + " by " + way + " from " + rounds.get(0))
                                    .contains(owner.mark(round)));
                }
            }
        }
    }

    /**
     * Everybody in their own room by every way, from the beginning (out of the event log, then out of memory, then live) and from
     * where memory begins; then everybody's events, and then one more of everybody: whoever has heard that last one of theirs has
     * been passed over by all that came before.
     */
    @Test
    @Timeout(180)
    void a_stream_that_replays_and_goes_on_holds_all_of_ones_own_and_nothing_of_others() throws Exception {
        long fresh = emitRound("fresh");
        List<Place> places = new ArrayList<>();
        try {
            for (Asker asker : ASKERS) {
                for (Hearing.Way way : Hearing.Way.values()) {
                    places.add(listen(asker, way, asker.token(), asker.room(), ROUNDS, 0));
                    places.add(listen(asker, way, asker.token(), asker.room(), ROUNDS.subList(1, 4), fresh));
                }
            }
            emitRound("live");
            emitRound("last");
            places.forEach(Place::check);
        } finally {
            places.forEach(place -> place.hearing().close());
        }
        assertThat(replayed("history")).as("events out of the event log").isPositive();
        assertThat(replayed("memory")).as("events out of memory").isPositive();
    }

    /** The check is worth something: of one who has a token that is too wide it says so, by every way and from either place. */
    @Test
    @Timeout(180)
    void a_token_that_is_too_wide_is_noticed_by_the_same_check() throws Exception {
        Asker eve = new Asker("green", "eve");
        long fresh = emitRound("fresh");
        for (Hearing.Way way : Hearing.Way.values()) {
            for (long position : new long[] {0, fresh}) {
                Place wide = listen(eve, way, server.project("red"), "project:red", ROUNDS, position);
                try {
                    emitRound("live");
                    assertThatThrownBy(() -> {
                                Owner red = new Owner("red", null);
                                assertNoLeak(eve, way.name(), wide.hearing().until(red.mark("live")));
                            })
                            .isInstanceOf(AssertionError.class)
                            .hasMessageContaining("eve in green sees");
                } finally {
                    wide.hearing().close();
                }
            }
        }
        String all = server.get(server.operator(), "/v1/topics/orders/events?limit=1000")
                .text();
        assertThatThrownBy(() -> assertNoLeak(eve, "a list", all)).isInstanceOf(AssertionError.class);
    }

    private static Place listen(
            Asker asker, Hearing.Way way, String token, String room, List<String> rounds, long position)
            throws Exception {
        return new Place(asker, way, rounds, Hearing.open(way, server, token, room, position));
    }

    /** An event of everybody. Gives the position before the first of them; all have one when this returns. */
    private static long emitRound(String round) throws Exception {
        Postrider postrider = server.postrider();
        long before = settledHead();
        try (Connection connection = server.server().bean(DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            for (Owner owner : OWNERS) {
                postrider.emit(connection, owner.event("heard", round));
                connection.commit();
            }
        }
        Await.until(
                "the round has positions",
                LONG,
                () -> postrider.log().head("orders") >= before + OWNERS.size()
                        && postrider.eventLog().reached("orders") >= before + OWNERS.size());
        return before;
    }

    /** Tests before this one may have written something that has no position yet. */
    private static long settledHead() {
        server.postrider().jobs().sequence();
        return server.postrider().log().head("orders");
    }

    private static double replayed(String from) {
        return server.get(server.operator(), "/metrics")
                .text()
                .lines()
                .filter(line ->
                        line.startsWith("postrider_gateway_replayed_total{") && line.contains("\"" + from + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void rooms_of_others_are_refused_on_the_stream_and_on_the_socket() throws Exception {
        List<String> wanted =
                List.of("project:red", "project:blue", "user:ada", "user:bob", "project:*", "user:", "all");
        for (Asker asker : ASKERS) {
            for (String room : wanted) {
                if (asker.room().equals(room)) {
                    continue;
                }
                Reply reply = server.get(asker.token(), "/v1/stream?topic=orders&room=" + room.replace("*", "%2A"));
                assertThat(reply.status()).as(asker.name() + " in " + room).isIn(400, 403);
                assertNoLeak(asker, "/v1/stream", reply.text());
                String said = refusedSocket(asker.token(), room);
                assertThat(said).as(asker.name() + " in " + room).doesNotContain("\"type\":\"event\"");
                assertNoLeak(asker, "/v1/socket", said);
            }
        }
    }

    private static String refusedSocket(String token, String room) throws Exception {
        try (Hearing hearing = Hearing.open(Hearing.Way.SOCKET, server, token, room, 0)) {
            return hearing.until("closed ");
        }
    }

    // ── tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void forged_and_expired_tokens_get_nothing_anywhere() throws Exception {
        String good = server.project("red");
        List<String> bad = List.of(
                "garbage",
                LiveServer.mint(LiveServer.newSecret()).issue("service", "red", Reach.PROJECT, LiveServer.HOUR),
                server.mint().issue("service", "red", Reach.PROJECT, Duration.ofMinutes(-5)),
                server.mintFor("another").issue("service", "red", Reach.PROJECT, LiveServer.HOUR),
                tampered(good, "\"red\"", "\"blue\""),
                tampered(server.user("eve", "green"), "\"user\"", "\"all\""),
                unsigned(good));
        for (String token : bad) {
            for (Route route : server.server().bean(Api.class).routes()) {
                if (route.need() != Need.NOBODY) {
                    String path = paths(route).get(0);
                    Reply reply = route.hasBody() ? server.post(token, path, "{}") : server.get(token, path);
                    assertThat(reply.status()).as(route.method() + " " + path).isEqualTo(401);
                    assertThat(reply.text()).doesNotContain("mark-");
                }
            }
            for (String from : List.of("", "&position=0")) {
                Reply reply = server.get(token, "/v1/stream?topic=orders&room=project:red" + from);
                assertThat(reply.status()).isEqualTo(401);
                assertThat(reply.text()).doesNotContain("mark-");
            }
            assertThat(refusedSocket(token, "project:red")).doesNotContain("mark-");
        }
    }

    /** With another claim under the same signature. */
    private static String tampered(String token, String claim, String other) {
        String[] parts = token.split("\\.", -1);
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        assertThat(claims).contains(claim);
        return parts[0] + "." + encoded(claims.replace(claim, other)) + "." + parts[2];
    }

    /** With the algorithm that needs no key. */
    private static String unsigned(String token) {
        return encoded("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + token.split("\\.", -1)[1] + ".";
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
