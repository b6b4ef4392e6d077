package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.gateway.Identity.Reach;
import io.postrider.server.LiveServer.Reply;
import io.postrider.server.api.Api;
import io.postrider.server.api.Need;
import io.postrider.server.api.Route;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every way in, called without a token and with each kind of token: nobody gets further than the policy table says. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class RoutePolicyTest {
    private static LiveServer server;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(database, Map.of("postrider.api.project-queues", "mail"));
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static List<Route> routes() {
        return server.server().bean(Api.class).routes();
    }

    @Test
    void the_policy_table_is_the_one_that_was_reviewed() throws Exception {
        List<String> table = routes().stream()
                .map(route -> route.method() + " " + route.path() + " " + route.need())
                .sorted()
                .toList();
        String golden;
        try (var in = RoutePolicyTest.class.getResourceAsStream("/routes.golden.txt")) {
            golden = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(String.join("\n", table)).isEqualTo(golden.strip());
    }

    @Test
    void nothing_is_mapped_besides_what_is_known() {
        Map<String, List<String>> mapped = new TreeMap<>();
        for (ServletRegistration servlet : server.server()
                .bean(ServletContext.class)
                .getServletRegistrations()
                .values()) {
            mapped.put(
                    servlet.getName(), servlet.getMappings().stream().sorted().toList());
        }
        assertThat(mapped)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "api", List.of("/v1/*"),
                        "client", List.of("/postrider.js"),
                        "default", List.of("/"),
                        "health", List.of("/health/*"),
                        "metrics", List.of("/metrics"),
                        "socket", List.of("/v1/socket"),
                        "stream", List.of("/v1/stream")));
    }

    @Test
    void each_route_answers_each_kind_of_token_as_the_table_says() {
        Map<String, String> tokens = new LinkedHashMap<>();
        tokens.put("user", server.user("ada", "shop"));
        tokens.put("project", server.project("shop"));
        tokens.put("operator", server.operator());
        List<String> wrong = new ArrayList<>();
        for (Route route : routes()) {
            for (Map.Entry<String, String> who : tokens.entrySet()) {
                Reply reply = call(route, who.getValue());
                boolean allowed = route.need() != Need.OPERATOR && route.need() != Need.PROJECT
                        || who.getKey().equals("operator")
                        || (route.need() == Need.PROJECT && who.getKey().equals("project"));
                boolean isWrite = route.path().equals("/v1/topics/{topic}/events")
                                && route.method().equals("POST")
                        || route.path().equals("/v1/queues/{queue}/jobs");
                boolean refused = reply.status() == 403;
                if (!isWrite && refused == allowed || reply.status() == 401 || reply.status() >= 500) {
                    wrong.add(route.method() + " " + route.path() + " as " + who.getKey() + ": " + reply.status());
                }
                if (isWrite && refused != who.getKey().equals("user")) {
                    wrong.add(route.path() + " written as " + who.getKey() + ": " + reply.status());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void every_route_refuses_invalid_tokens() {
        String good = server.operator();
        Map<String, String> forged = new LinkedHashMap<>();
        forged.put("garbage", "garbage");
        forged.put("empty", "");
        forged.put("not signed", good.substring(0, good.lastIndexOf('.') + 1));
        forged.put(
                "signed by another",
                LiveServer.mint(LiveServer.newSecret()).issue("root", null, Reach.ALL, LiveServer.HOUR));
        forged.put("changed", changed(good));
        forged.put("algorithm none", none(good));
        forged.put("expired", server.mint().issue("root", null, Reach.ALL, Duration.ofMinutes(-5)));
        forged.put("for another audience", server.mintFor("another").issue("root", null, Reach.ALL, LiveServer.HOUR));
        List<String> wrong = new ArrayList<>();
        for (Route route : routes()) {
            if (route.need() == Need.NOBODY) {
                assertThat(call(route, null).status()).isEqualTo(200);
                continue;
            }
            Reply without = call(route, null);
            if (without.status() != 401 || !without.type().equals("application/problem+json")) {
                wrong.add(route + " without a token: " + without.status());
            }
            assertThat(without.response().headers().firstValue("WWW-Authenticate"))
                    .isPresent();
            forged.forEach((how, token) -> {
                Reply reply = call(route, token);
                if (reply.status() != 401) {
                    wrong.add(route.path() + " with a token that is " + how + ": " + reply.status());
                }
            });
        }
        assertThat(wrong).isEmpty();
        for (String path : List.of("/v1", "/v1/", "/v1/nothing", "/v1/queues/../jobs", "/v1//jobs", "/v1/jobs/")) {
            assertThat(server.get(null, path).status()).as(path).isIn(400, 401);
        }
        assertThat(server.get(null, "/v1/stream?topic=orders&room=project:shop").status())
                .isEqualTo(401);
    }

    private static Reply call(Route route, String token) {
        String path = route.path()
                .replace("{topic}", "orders")
                .replace("{queue}", "mail")
                .replace("{name}", "nobody")
                .replace(
                        "{id}",
                        route.path().startsWith("/v1/dead-letters") ? "1" : "6f0e3b0e-1f0e-7b0e-8f0e-1f0e3b0e1f0e");
        return route.method().equals("GET") ? server.get(token, path) : server.post(token, path, "{\"x\":1}");
    }

    private static String changed(String token) {
        String[] parts = token.split("\\.", -1);
        String claims = new String(java.util.Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        return parts[0] + "." + encoded(claims.replace("\"root\"", "\"toor\"")) + "." + parts[2];
    }

    private static String none(String token) {
        return encoded("{\"alg\":\"none\"}") + "." + token.split("\\.", -1)[1] + ".";
    }

    private static String encoded(String text) {
        return java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
