package io.postrider.server.api;

import static io.postrider.server.openapi.ErrorResponse.BAD_REQUEST;
import static io.postrider.server.openapi.ErrorResponse.FORBIDDEN;
import static io.postrider.server.openapi.ErrorResponse.NOT_ACCEPTABLE;
import static io.postrider.server.openapi.ErrorResponse.NOT_FOUND;
import static io.postrider.server.openapi.ErrorResponse.TOO_LARGE;
import static io.postrider.server.openapi.ErrorResponse.TOO_MANY;
import static io.postrider.server.openapi.ErrorResponse.UNAUTHORIZED;
import static io.postrider.server.openapi.ErrorResponse.UNAVAILABLE;
import static io.postrider.server.openapi.ErrorResponse.WRONG_TYPE;

import io.postrider.server.openapi.Document;
import io.postrider.server.openapi.Document.Policy;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Operation.Response;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The OpenAPI document, built from the descriptions of the routes. It contains no secret, so it needs no token. */
final class Description {
    private static final String ABOUT =
            "Tokens are JWTs (HS256, RS256, ES256 or EdDSA) with iss, aud and exp; sub is the user,"
                    + " project the project, and reach is user, project or all. Objects outside a token's"
                    + " reach are answered with 404, not 403. Bodies are application/json in UTF-8; unknown"
                    + " fields and empty parameters are refused. Every error is application/problem+json. An"
                    + " unsupported method is refused with 405, and Allow lists the supported ones. Reads are"
                    + " limited in their number (503 with Retry-After), in their duration (400) and in the"
                    + " size of the response (8 MiB, then the next page).";

    private static final Operation SELF = Operation.of("description", "describe", "Get this OpenAPI document.")
            .answers(Schema.anyObject());

    private static final Operation STREAM = Operation.of(
                    "gateway", "stream", "Stream the events of rooms as Server-Sent Events, resuming after a position.")
            .noting("Needs a token whose reach includes the rooms. Frames: event, position, snapshot, cut.")
            .takes(
                    Parameter.required("topic", "Topic name."),
                    Parameter.required(
                            "room", "project:{id} or user:{id}; may be repeated.", Schema.list(Schema.text())),
                    Parameter.query(
                            "position",
                            "Resume after this position.",
                            Schema.integer().with("minimum", 0)),
                    Parameter.header(
                            "Last-Event-ID",
                            "The position, as browsers send it when they reconnect.",
                            Schema.integer().with("minimum", 0)))
            .answers(200, new Response("The stream.", "text/event-stream", Schema.text()))
            .fails(BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY, UNAVAILABLE);

    private static final Operation SOCKET = Operation.of(
                    "gateway", "socket", "Stream the events of rooms over a WebSocket.")
            .noting(
                    "The first frame is {\"type\":\"hello\",\"token\":…,\"topic\":…,\"rooms\":[…],\"position\":N|null}.")
            .answers(101, new Response("Switched to WebSocket.", "", null))
            .fails(BAD_REQUEST, FORBIDDEN, UNAVAILABLE);

    private Description() {}

    /** These routes, preceded by the route of the document itself. */
    static List<Route> describing(List<Route> routes) {
        Answer[] text = new Answer[1];
        List<Route> all = new ArrayList<>();
        all.add(Route.get("/v1/openapi.json", Need.NOBODY, call -> text[0]).described(SELF));
        all.addAll(routes);
        text[0] = Answer.text(JsonText.pretty(document(all)));
        return all;
    }

    private static Map<String, Object> document(List<Route> routes) {
        Document document = new Document(info());
        for (Route route : routes) {
            document.add(route.method(), route.path(), policy(route.need()), withErrors(route));
        }
        // The gateway's routes are separate servlets; a browser cannot send a header with the second.
        String anyone = name(Need.ANYONE);
        document.add("GET", "/v1/stream", new Policy(anyone, false, ""), STREAM);
        document.add("GET", "/v1/socket", new Policy(anyone, true, ""), SOCKET);
        return document.json();
    }

    private static Map<String, Object> info() {
        Map<String, Object> license = new LinkedHashMap<>();
        license.put("name", "Apache-2.0");
        license.put("identifier", "Apache-2.0");
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("title", "Postrider");
        info.put("version", "1");
        info.put("summary", "An event log and a job queue on PostgreSQL.");
        info.put("description", ABOUT);
        info.put("license", license);
        return info;
    }

    private static Policy policy(Need need) {
        String words = switch (need) {
            case NOBODY -> "Needs no token.";
            case ANYONE -> "Needs any valid token.";
            case PROJECT -> "Needs a token with reach project or all.";
            case OPERATOR -> "Needs a token with reach all.";
        };
        return new Policy(name(need), need == Need.NOBODY, words);
    }

    private static String name(Need need) {
        return need.name().toLowerCase(Locale.ROOT);
    }

    /** Adds the errors that every route of its kind may return. */
    private static Operation withErrors(Route route) {
        Operation operation = route.operation().fails(NOT_ACCEPTABLE);
        if (route.need() != Need.NOBODY) {
            operation = operation.fails(BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, UNAVAILABLE);
        }
        return route.hasBody() ? operation.fails(TOO_LARGE, WRONG_TYPE) : operation;
    }
}
