package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.gateway.Identity.Reach;
import io.postrider.server.LiveServer.Reply;
import io.postrider.server.api.Api;
import io.postrider.server.api.Route;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Two projects, two users, an event, a job and a dead letter of each: on every route, on the stream, on the socket and where they
 * replay, nobody ever sees the mark of what is not theirs. Every payload, key and error carries the mark of whose it is.
 */
@PostgresTest(per = PostgresTest.Per.CLASS)
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
            new Owner(null, null));
    private static final Map<Owner, String> events = new LinkedHashMap<>();
    private static final Map<Owner, String> jobs = new LinkedHashMap<>();
    private static final Map<Owner, String> letters = new LinkedHashMap<>();
    private static LiveServer server;

    /** Whose something is. */
    private record Owner(String project, String user) {
        /** Stands in everything that is theirs. */
        String mark() {
            return "mark-" + project + "-" + user + "-end";
        }
    }

    /** Who asks, and what is in their reach by the one rule. */
    private record Asker(String name, String token, java.util.function.Predicate<Owner> reaches) {}

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        Listener fails() {
            return Listener.relay("fails", "orders", event -> {
                        throw new IllegalStateException("failed at " + event.payload());
                    })
                    .withAttempts(1)
                    .withBackoff(Duration.ofMillis(1), Duration.ofMillis(1));
        }
    }

    @BeforeAll
    static void serve(TestDatabase database) throws Exception {
        server = LiveServer.on(
                database,
                Map.of("postrider.api.user-topics", "orders", "postrider.api.user-queues", "mail,letters"),
                Failing.class);
        try (Connection connection = server.server().bean(DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            for (Owner owner : OWNERS) {
                String payload = "{\"mark\":\"" + owner.mark() + "\"}";
                Event event = Event.of("orders", "placed", payload)
                        .withProject(owner.project())
                        .withUser(owner.user())
                        .withKey(owner.mark())
                        .withAggregate("order", "shared");
                events.put(owner, server.postrider().emit(connection, event).toString());
                Job job = Job.of("mail", "receipt", payload)
                        .withProject(owner.project())
                        .withUser(owner.user())
                        .withKey(owner.mark());
                jobs.put(owner, server.postrider().enqueue(connection, job).toString());
            }
            connection.commit();
        }
        Await.until(
                "all of it is there",
                LONG,
                () -> server.get(server.operator(), "/v1/dead-letters")
                                        .json()
                                        .path("dead_letters")
                                        .size()
                                == OWNERS.size()
                        && server.get(server.operator(), "/v1/topics/orders/events")
                                        .json()
                                        .path("events")
                                        .size()
                                == OWNERS.size());
        server.get(server.operator(), "/v1/dead-letters")
                .json()
                .path("dead_letters")
                .forEach(letter -> OWNERS.stream()
                        .filter(owner -> letter.toString().contains(owner.mark()))
                        .forEach(owner -> letters.put(owner, letter.path("id").asString())));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static List<Asker> askers() {
        return List.of(
                new Asker("red's service", server.project("red"), owner -> "red".equals(owner.project())),
                new Asker("blue's service", server.project("blue"), owner -> "blue".equals(owner.project())),
                new Asker("ada in red", server.user("ada", "red"), owner -> isOf(owner, "ada", "red")),
                new Asker("bob in blue", server.user("bob", "blue"), owner -> isOf(owner, "bob", "blue")),
                new Asker("ada of no project", server.user("ada", null), owner -> isOf(owner, "ada", null)),
                new Asker("a stranger", server.user("eve", "green"), owner -> false),
                new Asker("a stranger's service", server.project("green"), owner -> false));
    }

    private static boolean isOf(Owner owner, String user, String project) {
        return user.equals(owner.user())
                && (owner.project() == null || owner.project().equals(project));
    }

    private static void assertNoLeak(Asker asker, String where, String text) {
        for (Owner owner : OWNERS) {
            if (!asker.reaches().test(owner)) {
                assertThat(text)
                        .as(asker.name() + " sees " + owner + " by " + where)
                        .doesNotContain(owner.mark());
            }
        }
    }

    @Test
    void every_route_with_every_id_and_filter_gives_nobody_what_is_anothers() {
        List<String> filters = List.of(
                "", "project=red", "project=blue", "user=ada", "user=bob", "project=red&user=bob", "type=placed");
        for (Asker asker : askers()) {
            for (Route route : server.server().bean(Api.class).routes()) {
                for (String path : paths(route)) {
                    for (String filter : route.takes().contains("project") ? filters : List.of("")) {
                        String full = path + (filter.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + filter);
                        Reply reply = route.method().equals("GET")
                                ? server.get(asker.token(), full)
                                : server.post(asker.token(), full, "{}");
                        assertNoLeak(asker, route.method() + " " + full, reply.text());
                    }
                }
            }
        }
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
        for (Asker asker : askers()) {
            for (Owner owner : OWNERS) {
                int expected = asker.reaches().test(owner) ? 200 : 404;
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
            long reached = OWNERS.stream().filter(asker.reaches()).count();
            assertThat(server.get(asker.token(), "/v1/topics/orders/events")
                            .json()
                            .path("events"))
                    .as(asker.name())
                    .hasSize((int) reached);
            assertThat(server.get(asker.token(), "/v1/jobs?queue=mail").json().path("jobs"))
                    .as(asker.name())
                    .hasSize((int) reached);
            assertThat(server.get(asker.token(), "/v1/analytics/totals?topic=orders")
                            .json()
                            .at("/totals/0/events")
                            .asLong(0))
                    .as(asker.name())
                    .isEqualTo(reached);
        }
    }

    @Test
    void counts_by_project_and_user_name_nobody_else() {
        for (Asker asker : askers()) {
            for (String by : List.of("project", "user")) {
                String text = server.get(asker.token(), "/v1/analytics/totals?by=" + by + "&topic=orders")
                        .text();
                List<String> named = by.equals("project") ? List.of("red", "blue") : List.of("ada", "bob");
                for (String name : named) {
                    boolean reached = OWNERS.stream()
                            .filter(asker.reaches())
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
        Asker red = askers().get(0);
        for (Owner owner : OWNERS) {
            if (!red.reaches().test(owner)) {
                assertThat(server.post(red.token(), "/v1/jobs/" + jobs.get(owner) + "/cancel", "")
                                .status())
                        .isEqualTo(404);
                assertThat(server.post(red.token(), "/v1/jobs/" + jobs.get(owner) + "/retry", "")
                                .status())
                        .isEqualTo(404);
                assertThat(server.get(server.operator(), "/v1/jobs/" + jobs.get(owner))
                                .json()
                                .path("state")
                                .asString())
                        .isEqualTo("PENDING");
            }
        }
    }

    @Test
    void a_stream_that_replays_from_the_beginning_holds_nothing_of_others() throws Exception {
        for (Asker asker : askers()) {
            String room = asker.name().contains("service")
                    ? "project:" + asker.name().split("'", -1)[0].replace("a stranger", "green")
                    : "user:" + asker.name().replace("a stranger", "eve").split(" ", -1)[0];
            long expected = OWNERS.stream().filter(asker.reaches()).count();
            String text = stream(asker, room, (int) expected);
            assertNoLeak(asker, "stream of " + room, text);
            OWNERS.stream()
                    .filter(asker.reaches())
                    .forEach(owner -> assertThat(text).as(asker.name()).contains(owner.mark()));
        }
    }

    @Test
    void rooms_of_others_are_refused_on_the_stream_and_on_the_socket() throws Exception {
        List<String> wanted =
                List.of("project:red", "project:blue", "user:ada", "user:bob", "project:*", "user:", "all");
        for (Asker asker : askers()) {
            for (String room : wanted) {
                boolean own = asker.name().equals(room.replace("project:", "") + "'s service")
                        || asker.name().startsWith(room.replace("user:", "") + " ") && room.length() > 5;
                if (own) {
                    continue;
                }
                Reply reply = server.get(asker.token(), "/v1/stream?topic=orders&room=" + room.replace("*", "%2A"));
                assertThat(reply.status()).as(asker.name() + " in " + room).isIn(400, 403);
                assertNoLeak(asker, "/v1/stream", reply.text());
                String said = socket(asker.token(), room);
                assertThat(said).as(asker.name() + " in " + room).doesNotContain("\"type\":\"event\"");
                assertNoLeak(asker, "/v1/socket", said);
            }
        }
    }

    @Test
    void forged_and_expired_tokens_hear_nothing() throws Exception {
        List<String> bad = List.of(
                "garbage",
                LiveServer.mint(LiveServer.newSecret()).issue("service", "red", Reach.PROJECT, LiveServer.HOUR),
                server.mint().issue("service", "red", Reach.PROJECT, Duration.ofMinutes(-5)),
                server.mintFor("another").issue("service", "red", Reach.PROJECT, LiveServer.HOUR));
        for (String token : bad) {
            assertThat(server.get(token, "/v1/stream?topic=orders&room=project:red&position=0")
                            .status())
                    .isEqualTo(401);
            assertThat(server.get(token, "/v1/topics/orders/events").status()).isEqualTo(401);
            assertThat(socket(token, "project:red")).doesNotContain("mark-");
        }
    }

    /** Reads until so many events came and then a frame that says how far the topic is. */
    private static String stream(Asker asker, String room, int events) throws Exception {
        HttpRequest request = server.request(asker.token(), "/v1/stream?topic=orders&position=0&room=" + room)
                .build();
        HttpResponse<InputStream> response = server.client().send(request, BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).as(asker.name() + " in " + room).isEqualTo(200);
        StringBuilder text = new StringBuilder();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            int seen = 0;
            int frames = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                text.append(line).append('\n');
                seen += line.equals("event: event") ? 1 : 0;
                frames += line.isEmpty() ? 1 : 0;
                if (line.isEmpty() && seen >= events && frames > 0) {
                    break;
                }
            }
        }
        return text.toString();
    }

    /** All that is said until it is closed. */
    private static String socket(String token, String room) throws Exception {
        StringBuffer said = new StringBuffer();
        CountDownLatch closed = new CountDownLatch(1);
        WebSocket.Listener listener = new WebSocket.Listener() {
            @Override
            public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
                said.append(data).append('\n');
                socket.request(1);
                return null;
            }

            @Override
            public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                said.append("closed ").append(code).append(' ').append(reason);
                closed.countDown();
                return null;
            }

            @Override
            public void onError(WebSocket socket, Throwable error) {
                closed.countDown();
            }
        };
        WebSocket socket = server.client()
                .newWebSocketBuilder()
                .buildAsync(java.net.URI.create("ws://127.0.0.1:" + server.port() + "/v1/socket"), listener)
                .get(30, TimeUnit.SECONDS);
        socket.sendText(
                        "{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"orders\",\"rooms\":[\"" + room
                                + "\"],\"position\":0}",
                        true)
                .get(30, TimeUnit.SECONDS);
        assertThat(closed.await(30, TimeUnit.SECONDS)).as("refused: " + said).isTrue();
        return said.toString();
    }
}
