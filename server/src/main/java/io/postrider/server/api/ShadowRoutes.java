package io.postrider.server.api;

import io.postrider.admin.Comparison;
import io.postrider.admin.Comparison.Difference;
import io.postrider.admin.Comparison.Example;
import io.postrider.admin.Listeners;
import io.postrider.admin.Publisher;
import io.postrider.admin.Relays;
import io.postrider.server.openapi.CommonSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.ShadowSchemas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shadow mode of relays and other listeners. A table to compare with is named in the settings only: a caller that could name any
 * table and column could read them.
 */
final class ShadowRoutes {
    /** These mostly wait for another node, and hold no connection meanwhile. */
    static final Set<String> WAITING = Set.of(
            "/v1/relays/{name}/shadow",
            "/v1/relays/{name}/compare",
            "/v1/listeners/{name}/shadow",
            "/v1/listeners/{name}/compare");

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);
    private static final int MOST = 200_000;
    private static final int LONGEST_LISTEN = 60;

    private final Listeners listeners;
    private final Relays relays;
    private final Function<String, Optional<Publisher.Table>> tables;

    /** @param tables the table that a relay is compared with, by the name of the relay */
    ShadowRoutes(Changing changing, Function<String, Optional<Publisher.Table>> tables) {
        this.listeners = changing.postrider().listeners();
        this.relays = changing.postrider().relays();
        this.tables = tables;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.addAll(routes("listeners", "Listener"));
        routes.addAll(routes("relays", "Relay"));
        return routes;
    }

    private List<Route> routes(String group, String what) {
        String path = "/v1/" + group + "/{name}/";
        String one = "a " + what.toLowerCase(Locale.ROOT);
        UnaryOperator<Call> known = group.equals("relays") ? this::relay : call -> call;
        return List.of(
                Route.post(path + "shadow", Need.OPERATOR, call -> shadow(known.apply(call)))
                        .described(described(group, "shadow" + what, "Put " + one + " into shadow mode.")
                                .body(CommonSchemas.NOTHING)
                                .answers(ShadowSchemas.IN_SHADOW)),
                Route.post(path + "go-live", Need.OPERATOR, call -> goLive(known.apply(call)))
                        .described(described(group, "goLive" + what, "End the shadow mode of " + one + ".")
                                .body(ShadowSchemas.GO_LIVE)
                                .answers(ShadowSchemas.IS_LIVE)),
                Route.post(path + "compare", Need.OPERATOR, call -> compare(known.apply(call)))
                        .described(described(
                                        group,
                                        "compare" + what,
                                        "Compare what " + one
                                                + " in shadow mode would have sent with what another publisher has sent.")
                                .body(ShadowSchemas.COMPARE)
                                .answers(ShadowSchemas.COMPARISON)));
    }

    private static Operation described(String group, String id, String summary) {
        return Operation.of(group, id, summary)
                .takes(Parameter.path("name", group.equals("relays") ? "Relay name." : "Listener name."))
                .fails(ErrorResponse.NOT_FOUND)
                .fails(ErrorResponse.CONFLICT);
    }

    private Call relay(Call call) {
        String name = call.place("name");
        if (relays.list().stream().noneMatch(one -> one.name().equals(name))) {
            throw Problem.of(404, "no relay " + Fields.shown(name), "GET /v1/relays lists them.");
        }
        return call;
    }

    private Answer shadow(Call call) {
        call.fields();
        String name = call.place("name");
        long from = listeners.shadow(name, LONGEST_WAIT);
        return Answer.ok(
                JsonText.object().put("name", name).put("mode", "shadow").put("shadow_from", from));
    }

    private Answer goLive(Call call) {
        Fields fields = call.fields("position");
        String name = call.place("name");
        @Nullable Long position = fields.numberOrNull("position");
        long from = position == null ? listeners.goLive(name) : listeners.goLive(name, position);
        return Answer.ok(JsonText.object().put("name", name).put("live_from", from));
    }

    private Answer compare(Call call) {
        Fields fields = call.fields("with", "listener", "place", "id_place", "payload_place", "listen_seconds", "most");
        String name = call.place("name");
        return Answer.ok(json(listeners.compare(name, publisher(name, fields), within(fields, "most", MOST, MOST))));
    }

    private Publisher publisher(String name, Fields fields) {
        @Nullable String listener = fields.textOrNull("listener");
        @Nullable String with = fields.textOrNull("with");
        if (with == null) {
            with = listener == null ? "destination" : "listener";
        }
        return switch (with) {
            case "listener" -> Publisher.listener(fields.text("listener"));
            case "table" ->
                tables.apply(name)
                        .orElseThrow(() -> Problem.of(
                                409,
                                "no table to compare " + Fields.shown(name) + " with",
                                "Set postrider.relays." + Fields.shown(name) + ".compare-table."));
            case "destination" ->
                new Publisher.Destination(
                        fields.textOrNull("place"),
                        fields.textOrNull("id_place"),
                        fields.textOrNull("payload_place"),
                        Duration.ofSeconds(within(fields, "listen_seconds", LONGEST_LISTEN, 10)));
            default -> throw fields.refused("with", "must be destination, table or listener");
        };
    }

    private static int within(Fields fields, String name, int most, int usual) {
        @Nullable Long value = fields.numberOrNull(name);
        if (value != null && (value < 1 || value > most)) {
            throw fields.refused(name, "must be 1.." + most);
        }
        return value == null ? usual : value.intValue();
    }

    private static ObjectNode json(Comparison found) {
        ObjectNode json = JsonText.object()
                .put("name", found.listener())
                .put("publisher", found.publisher())
                .put("same", found.isSame())
                .put("from", found.from())
                .put("to", found.to())
                .put("events", found.events())
                .put("order_compared", found.orderCompared())
                .put("payload_compared", found.payloadCompared());
        json.set("missing", json(found.missing()));
        json.set("extra", json(found.extra()));
        json.set("reordered", json(found.reordered()));
        json.set("different", json(found.different()));
        json.set("repeated", json(found.repeated()));
        json.set("pending", json(found.pending()));
        json.set("failed", json(found.failed()));
        return json;
    }

    private static ObjectNode json(Difference difference) {
        ArrayNode examples = JsonText.array();
        for (Example example : difference.examples()) {
            examples.add(JsonText.object()
                    .put("position", example.position())
                    .put("id", example.id())
                    .put("detail", example.detail()));
        }
        ObjectNode json = JsonText.object().put("count", difference.count());
        json.set("examples", examples);
        return json;
    }
}
