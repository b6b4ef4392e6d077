package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.map;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;
import static io.postrider.server.openapi.Schema.uuid;

/** Events: as they are emitted, and as they are read. */
public final class EventSchemas {
    private static final String EVENT_EXAMPLE = """
                    {"specversion": "1.0", "id": "6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e",
                     "source": "/topics/orders", "type": "order.placed", "time": "2026-05-01T12:00:00.123456Z",
                     "datacontenttype": "application/json", "topic": "orders", "position": 42,
                     "partitionkey": "42", "projectid": "shop-1", "userid": "ada", "aggregatetype": "order",
                     "aggregateid": "42", "data": {"order": 42}}""";

    public static final Schema HEADERS =
            map(text()).named("Headers").described("Metadata that travels with the event; at most 16 KiB.");

    public static final Schema NEW_EVENT = object("NewEvent")
            .mayHave(
                    "id",
                    uuid().described("Set it in a producer that retries, so that consumers can detect duplicates."))
            .has(
                    "type",
                    text().with("maxLength", 200)
                            .with("pattern", "^[A-Za-z0-9][A-Za-z0-9._:/-]*$")
                            .described("What happened."))
            .has("payload", CommonSchemas.JSON_VALUE)
            .mayHave("key", text().described("Events with the same key are handled in order."))
            .mayHave("project_id", text().described("Taken from the token unless its reach is all."))
            .mayHave("user_id", text().described("Taken from the token if its reach is user."))
            .mayHave("aggregate_type", text())
            .mayHave("aggregate_id", text())
            .mayHave("headers", HEADERS)
            .example("""
                    {"type": "order.placed", "payload": {"order": 42}, "key": "42", "aggregate_type": "order",
                     "aggregate_id": "42"}""");

    public static final Schema EMITTED = object("Emitted").has("id", uuid()).example("""
                    {"id": "6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e"}""");

    public static final Schema EMITTED_BATCH = object("EmittedBatch")
            .described("In the order of the batch.")
            .has("ids", list(uuid()))
            .example("""
                    {"ids": ["6f0e3b0e-1f0e-4b0e-8f0e-1f0e3b0e1f0e"]}""");

    public static final Schema EVENT = object("Event")
            .described("A CloudEvent, with topic and position.")
            .has("specversion", text().with("const", "1.0"))
            .has("id", uuid())
            .has("source", text())
            .has("type", text())
            .has("time", time())
            .has("datacontenttype", text().with("const", "application/json"))
            .has("topic", text())
            .has(
                    "position",
                    integer().with("minimum", 1).described("Its position in the topic: 1, 2, 3 … without gaps."))
            .mayHave("partitionkey", text())
            .mayHave("projectid", text())
            .mayHave("userid", text())
            .mayHave("aggregatetype", text())
            .mayHave("aggregateid", text())
            .mayHave("headers", text().described("A JSON object as text."))
            .has("data", CommonSchemas.JSON_VALUE)
            .example(EVENT_EXAMPLE);

    public static final Schema EVENT_PAGE = object("EventPage")
            .has("events", list(EVENT))
            .has("after", integer().described("Pass it as after to get the next page."))
            .example("{\"events\": [" + EVENT_EXAMPLE + "], \"after\": 42}");

    private EventSchemas() {}
}
