package io.postrider.cli;

import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.JsonScan;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.Sql;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes one event, or many in one transaction. */
@Command(
        name = "emit",
        header = "Write an event, or many in one transaction.",
        description = {
            "Prints the id of each event. Lines of JSON have the fields that `tail --json` prints: topic and type (unless"
                    + " given here for all), payload, key, project_id, user_id, aggregate_type, aggregate_id, headers,"
                    + " event_id. If one of them is refused, none is written."
        },
        footer = {
            "  postrider emit orders order.placed '{\"order\":1}'",
            "  postrider emit orders order.placed '{\"order\":1}' --key customer-7 --header trace=abc",
            "  jq -c . order.json | postrider emit orders order.placed -",
            "  postrider emit --from-file orders.ndjson",
            "  postrider tail orders --from beginning --json | postrider emit copies --from-file -"
        })
final class EmitCommand implements Callable<Integer> {
    private static final Sql PAYLOAD_CAP = Sql.file("schema/payload_cap");

    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TOPIC",
            description = "The log it goes to; - alone: lines of JSON from standard input.")
    private @Nullable String topic;

    @Parameters(index = "1", arity = "0..1", paramLabel = "TYPE", description = "What happened, such as order.placed.")
    private @Nullable String type;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            description = "JSON; - reads it from standard input (default: {}).")
    private @Nullable String payload;

    @Option(names = "--key", paramLabel = "KEY", description = "Events of one key are handled in order.")
    private @Nullable String key;

    @Option(names = "--project", paramLabel = "ID", description = "Whose it is.")
    private @Nullable String project;

    @Option(names = "--user", paramLabel = "ID", description = "Whom it concerns.")
    private @Nullable String user;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "The kind of thing it is about.")
    private @Nullable String aggregateType;

    @Option(names = "--aggregate-id", paramLabel = "ID", description = "Which of them.")
    private @Nullable String aggregateId;

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "What travels with it; may be given again.")
    private final Map<String, String> headers = new LinkedHashMap<>();

    @Option(
            names = "--id",
            paramLabel = "UUID",
            description = "Its id, for a producer that tries again (default: a new one).")
    private @Nullable UUID id;

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "Lines of JSON, one event each; - is standard input.")
    private @Nullable String file;

    @Option(names = "--json", description = "An object for each event on standard output, not only its id.")
    private boolean json;

    EmitCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws IOException {
        if (file != null || ("-".equals(topic) && type == null)) {
            return emitLines();
        }
        Event event = event();
        emit((postrider, connection) -> postrider.emit(connection, event));
        print(event.id(), event.topic(), event.type());
        return Exit.OK;
    }

    // ── one ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    private Event event() throws IOException {
        if (topic == null || type == null) {
            throw PostriderException.refused(
                    "emit needs a topic and a type, such as: postrider emit orders order.placed" + " '{\"order\":1}'");
        }
        String text = payload == null ? "{}" : payload.equals("-") ? standardInput() : payload;
        Event event = Event.of(topic, type, text)
                .withKey(key)
                .withProject(project)
                .withUser(user)
                .withAggregate(aggregateType, aggregateId)
                .withHeaders(headers);
        try {
            JsonScan.check(text);
        } catch (JsonScan.NotJson e) {
            throw PostriderException.refused("payload is not valid JSON: " + e.getMessage()
                    + "; in a shell write it in single quotes: '{\"order\":1}'");
        }
        return id == null ? event : event.withId(id);
    }

    /** As strict as the database: a replaced character would be a silent change. */
    private String standardInput() throws IOException {
        byte[] bytes = terminal.in().readNBytes(MOST_INPUT + 1);
        if (bytes.length > MOST_INPUT) {
            throw PostriderException.refused("payload on standard input is longer than " + MOST_INPUT + " bytes");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .strip();
        } catch (CharacterCodingException e) {
            throw PostriderException.refused("payload on standard input is not UTF-8");
        }
    }

    /** The largest cap that can be set; what is above the table's own is refused later, by name. */
    private static final int MOST_INPUT = 64 << 20;

    // ── many ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private int emitLines() throws IOException {
        refuseForMany();
        String source = file == null ? "-" : file;
        @Nullable String forAll = "-".equals(topic) ? null : topic;
        try (InputStream in = source.equals("-") ? terminal.in() : Files.newInputStream(Path.of(source))) {
            EventLines lines = new EventLines(in, source.equals("-") ? "standard input" : source, forAll, type);
            EmittedIds ids = new EmittedIds();
            emit((postrider, connection) -> lines.inSlices(slice -> {
                postrider.emitAll(connection, slice);
                slice.forEach(ids::add);
            }));
            // Only now: an id that was printed is an event that is there.
            ids.forEach(this::print);
            terminal.say(ids.count() + (ids.count() == 1 ? " event" : " events") + " in one transaction");
            return Exit.OK;
        } catch (NoSuchFileException e) {
            throw new PostriderException(PostriderException.Kind.NOT_FOUND, "no file " + source);
        }
    }

    private void refuseForMany() {
        if ((payload != null && !payload.equals("-")) || id != null || key != null || !headers.isEmpty()) {
            throw PostriderException.refused(
                    "a payload, --id, --key and --header are for one event; with lines of JSON each"
                            + " line has its own");
        }
    }

    // ── both ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void emit(Work work) throws IOException {
        DataSource dataSource = database.dataSource();
        Database db = new Database(dataSource, database.schema());
        database.requireUsable(db);
        // The table's own cap is the one that counts: another here would refuse too much, or too late.
        int cap = db.autocommit(session -> session.one(PAYLOAD_CAP, Bind::nothing, row -> row.int8("cap")))
                .orElse((long) Options.defaults().payloadCap())
                .intValue();
        try (Postrider postrider = Postrider.on(dataSource, database.options().withPayloadCap(cap));
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            work.with(postrider, connection);
            connection.commit();
        } catch (SQLException e) {
            throw Session.failed("emit", e);
        }
    }

    private void print(UUID eventId, String eventTopic, String eventType) {
        terminal.out()
                .println(
                        json
                                ? new JsonLine()
                                        .text("event_id", eventId.toString())
                                        .text("topic", eventTopic)
                                        .text("type", eventType)
                                        .toString()
                                : eventId.toString());
    }

    /** In a transaction that is committed if this returns. */
    private interface Work {
        void with(Postrider postrider, Connection connection) throws IOException;
    }
}
