package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.api.Api;
import io.postrider.server.api.Need;
import io.postrider.server.api.Route;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The description tells of every route and of no other, with what each takes and needs. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class OpenApiTest {
    private static LiveServer server;
    private static JsonNode description;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(database);
        description = server.get(null, "/v1/openapi.json").json();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    /** The gateway's, which are servlets of their own. */
    private static final Set<String> GATEWAY = Set.of("GET /v1/stream", "GET /v1/socket");

    @Test
    void every_route_is_described_and_every_description_is_a_route() {
        Set<String> routes = new TreeSet<>(GATEWAY);
        server.server().bean(Api.class).routes().forEach(route -> routes.add(route.method() + " " + route.path()));
        Set<String> described = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
            for (String method : path.getValue().propertyNames()) {
                described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
            }
        }
        assertThat(described).isEqualTo(routes);
    }

    @Test
    void what_a_route_takes_and_needs_is_what_it_is_described_to() {
        for (Route route : server.server().bean(Api.class).routes()) {
            JsonNode operation = operation(route);
            Set<String> taken = new TreeSet<>();
            Set<String> places = new TreeSet<>();
            operation.path("parameters").forEach(parameter -> {
                (parameter.path("in").asString().equals("query") ? taken : places)
                        .add(parameter.path("name").asString());
            });
            assertThat(taken).as(route.path()).isEqualTo(new TreeSet<>(route.takes()));
            places.forEach(place -> assertThat(route.path()).contains("{" + place + "}"));
            assertThat(operation.path("x-needs").asString())
                    .as(route.path())
                    .isEqualTo(route.need().name().toLowerCase(Locale.ROOT));
            assertThat(operation.has("requestBody")).as(route.path()).isEqualTo(route.hasBody());
            assertThat(operation.has("security")).as(route.path()).isEqualTo(route.need() == Need.NOBODY);
        }
    }

    private static JsonNode operation(Route route) {
        return description.path("paths").path(route.path()).path(route.method().toLowerCase(Locale.ROOT));
    }

    @Test
    void every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() {
        List<String> broken = new ArrayList<>();
        collectBroken(description, broken);
        assertThat(broken).isEmpty();
        List<String> names = new ArrayList<>();
        description
                .path("paths")
                .forEach(path -> path.forEach(
                        operation -> names.add(operation.path("operationId").asString())));
        assertThat(names).doesNotHaveDuplicates().doesNotContain("");
    }

    private static void collectBroken(JsonNode node, List<String> broken) {
        if (node.has("$ref")
                && description.at(node.path("$ref").asString().substring(1)).isMissingNode()) {
            broken.add(node.path("$ref").asString());
        }
        node.forEach(child -> collectBroken(child, broken));
    }

    @Test
    void answers_have_the_fields_that_they_are_described_to_have() {
        String operator = server.operator();
        String event = server.post(
                        operator,
                        "/v1/topics/orders/events",
                        "{\"type\":\"t\",\"payload\":1,\"key\":\"k\",\"project_id\":\"p\",\"user_id\":\"u\","
                                + "\"aggregate_type\":\"a\",\"aggregate_id\":\"b\",\"headers\":{\"x\":\"y\"}}")
                .json()
                .path("id")
                .asString();
        String job = server.post(operator, "/v1/queues/mail/jobs", "{\"type\":\"t\",\"payload\":1}")
                .json()
                .path("id")
                .asString();
        io.postrider.testkit.Await.until(
                "the event is recorded",
                java.time.Duration.ofSeconds(30),
                () -> server.get(operator, "/v1/events/" + event).status() == 200);
        assertFits("Event", server.get(operator, "/v1/events/" + event).json());
        assertFits("EventPage", server.get(operator, "/v1/topics/orders/events").json());
        assertFits("Job", server.get(operator, "/v1/jobs/" + job).json());
        assertFits(
                "Job",
                server.get(server.operator(), "/v1/jobs?queue=mail").json().at("/jobs/0"));
        assertFits("Queue", server.get(operator, "/v1/queues").json().at("/queues/0"));
        assertFits("Listener", server.get(operator, "/v1/listeners").json().at("/listeners/0"));
        assertFits("Counts", server.get(operator, "/v1/analytics/counts").json());
        assertFits("Totals", server.get(operator, "/v1/analytics/totals").json());
        assertFits("Problem", server.get(null, "/v1/jobs").json());
    }

    private static void assertFits(String schema, JsonNode value) {
        JsonNode described = description.at("/components/schemas/" + schema);
        Set<String> known = new TreeSet<>(described.path("properties").propertyNames());
        assertThat(known).as(schema + " " + value).containsAll(value.propertyNames());
        described
                .path("required")
                .forEach(name -> assertThat(value.has(name.asString()))
                        .as(schema + " has " + name)
                        .isTrue());
    }
}
