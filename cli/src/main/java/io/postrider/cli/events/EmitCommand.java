package io.postrider.cli.events;

import io.postrider.Event;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.JsonScanner;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Emits one event, or many in one transaction. */
@Command(
        name = "emit",
        header = "Emit one event, or many in one transaction.",
        description = {
            "Prints the id of each event. Input in JSON lines has the fields of `tail --json`: topic and type (unless given as"
                    + " arguments), payload, key, project_id, user_id, aggregate_type, aggregate_id, headers, event_id. If one"
                    + " event is rejected, none is written."
        },
        footer = {
            "  postrider emit orders order.placed '{\"order\":1}'",
            "  postrider emit orders order.placed '{\"order\":1}' --key customer-7 --header trace=abc",
            "  jq -c . order.json | postrider emit orders order.placed -",
            "  postrider emit --from-file orders.ndjson",
            "  postrider tail orders --from beginning --json | postrider emit copies --from-file -"
        })
public final class EmitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "TOPIC",
            description = "Topic of the event; a single - reads JSON lines from standard input.")
    private @Nullable String topic;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TYPE",
            description = "Type of the event, such as order.placed.")
    private @Nullable String type;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "PAYLOAD",
            description = "Payload as JSON; - reads it from standard input (default: {}).")
    private @Nullable String payload;

    @Option(names = "--key", paramLabel = "KEY", description = "Key; events with the same key are handled in order.")
    private @Nullable String key;

    @Option(names = "--project", paramLabel = "ID", description = "Project that owns the event.")
    private @Nullable String project;

    @Option(names = "--user", paramLabel = "ID", description = "User that the event concerns.")
    private @Nullable String user;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "Type of the aggregate.")
    private @Nullable String aggregateType;

    @Option(names = "--aggregate-id", paramLabel = "ID", description = "Id of the aggregate.")
    private @Nullable String aggregateId;

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "Header of the event; repeatable.")
    private final Map<String, String> headers = new LinkedHashMap<>();

    @Option(
            names = "--id",
            paramLabel = "UUID",
            description =
                    "Id of the event; reuse it in a retry so that consumers can detect the duplicate (default: a new"
                            + " id).")
    private @Nullable UUID id;

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "Read events as JSON lines from this file; - is standard input.")
    private @Nullable String file;

    @Option(names = "--json", description = "Print one JSON object per line, instead of only the id.")
    private boolean json;

    public EmitCommand(Terminal terminal) {
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
        return ExitCode.OK;
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
            JsonScanner.check(text);
        } catch (JsonScanner.NotJson e) {
            throw PostriderException.refused("payload is not valid JSON: " + e.getMessage()
                    + "; in a shell write it in single quotes: '{\"order\":1}'");
        }
        return id == null ? event : event.withId(id);
    }

    /** As strict as the database: replacing malformed characters would silently change the payload. */
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

    /** The largest cap that can be set; a payload above the schema's own cap is refused later, with that cap. */
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
            // Printed only after the commit: a printed id is the id of an existing event.
            ids.forEach(this::print);
            terminal.say(ids.count() + (ids.count() == 1 ? " event" : " events") + " in one transaction");
            return ExitCode.OK;
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
        try (Postrider postrider = Postrider.on(database.dataSource(), withCapOfTheSchema(database.options()))) {
            postrider.transaction(connection -> {
                try {
                    work.with(postrider, connection);
                    return true;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Uses the cap of the schema: with another one, emitting would refuse too much, or too late. */
    private Options withCapOfTheSchema(Options options) {
        return database.with(postrider -> {
            Integer cap = postrider.migrations().payloadCap();
            return cap == null ? options : options.withPayloadCap(cap);
        });
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

    /** Runs in a transaction that commits if this returns. */
    private interface Work {
        void with(Postrider postrider, Connection connection) throws IOException;
    }
}
