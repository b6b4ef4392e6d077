package io.postrider.cli.relays;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Comparison;
import io.postrider.admin.Publisher;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.cli.text.Names;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares what a relay in shadow mode would have sent with what another publisher has sent. */
@Command(
        name = "compare",
        header = "Compare what a relay in shadow mode would have sent with what another publisher has sent.",
        description = {
            "With a table (--table), with another listener (--listener), or with the destination of the relay's sink (default),"
                    + " which the node that runs the relay reads.",
            "missing: the relay would have sent it and the publisher has not. extra: the reverse. Exits with 1 if anything is"
                    + " missing, extra, reordered or different."
        },
        footer = {
            "  postrider relays compare to-kafka",
            "  postrider relays compare to-kafka --place old-orders --id-place json:event_id --json",
            "  postrider relays compare to-kafka --table event_outbox --published status=PUBLISHED --order published_at",
            "  postrider relays compare to-kafka --listener old-to-kafka"
        })
public final class RelaysCompareCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "RELAY", description = "Name of the relay, or of another listener.")
    @SuppressWarnings("NullAway.Init") // required
    private String relay;

    @Option(names = "--listener", paramLabel = "NAME", description = "Compare with another listener of the topic.")
    private @Nullable String listener;

    @Option(names = "--table", paramLabel = "TABLE", description = "Compare with an outbox table.")
    private @Nullable String table;

    @Option(names = "--id", paramLabel = "COLUMN", description = "Column with the id of the event (default: id).")
    private String id = "id";

    @Option(
            names = "--published",
            paramLabel = "CONDITION",
            description = "Which rows are published: COLUMN (not null), COLUMN=VALUE,VALUE or deleted (default).")
    private @Nullable String published;

    @Option(names = "--order", paramLabel = "COLUMN", description = "Column with the order of publishing.")
    private @Nullable String order;

    @Option(names = "--payload", paramLabel = "COLUMN", description = "Column with the payload.")
    private @Nullable String payload;

    @Option(
            names = "--header",
            paramLabel = "NAME",
            description = "Header of the event that has the id of its row (default: adopted_id).")
    private @Nullable String header;

    @Option(
            names = "--place",
            paramLabel = "NAME",
            description = "Topic, stream or channel to read (default: the one that the relay sends to).")
    private @Nullable String place;

    @Option(
            names = "--id-place",
            paramLabel = "PLACE",
            description = "Where a message has its id: field:NAME or json:PATH (default: the usual places).")
    private @Nullable String idPlace;

    @Option(
            names = "--payload-place",
            paramLabel = "PLACE",
            description = "Where a message has its payload: field:NAME, json:PATH or body (default: the usual places).")
    private @Nullable String payloadPlace;

    @Option(names = "--for", paramLabel = "TIME", description = "How long to listen to a channel (default: 10s).")
    private String listenFor = "10s";

    @Option(
            names = "--most",
            paramLabel = "N",
            description = "Compare at most the latest N recorded events (default: 200000).")
    private int most = 200_000;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public RelaysCompareCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Names.listener(relay);
        Publisher publisher = publisher();
        try (Postrider postrider = Postrider.on(database.dataSource(), database.options())) {
            DatabaseOptions.requireUsable(postrider);
            ListenerName.require(postrider, relay);
            Comparison found = postrider.listeners().compare(relay, publisher, most);
            if (json) {
                terminal.out().println(ComparisonText.json(found));
            } else {
                ComparisonText.lines(found, terminal.colours())
                        .forEach(line -> terminal.out().println(line));
            }
            return found.isSame() ? ExitCode.OK : ExitCode.FAILURE;
        }
    }

    private Publisher publisher() {
        boolean isColumns = Stream.of(published, order, payload, header).anyMatch(one -> one != null);
        boolean isPlaces = Stream.of(place, idPlace, payloadPlace).anyMatch(one -> one != null);
        if ((table != null && (listener != null || isPlaces)) || (listener != null && isPlaces)) {
            throw PostriderException.refused("give one of --table, --listener and --place");
        }
        if (table == null && isColumns) {
            throw PostriderException.refused("--published, --order, --payload and --header need --table");
        }
        if (listener != null) {
            return Publisher.listener(Names.listener(listener));
        }
        return table == null ? destination() : table(table);
    }

    private Publisher table(String name) {
        Publisher.Table compared = Publisher.table(name).withId(id);
        compared = published == null ? compared : compared.withPublishedWhen(published);
        compared = order == null ? compared : compared.withOrder(order);
        compared = payload == null ? compared : compared.withPayload(payload);
        return header == null ? compared : compared.withHeader(header);
    }

    private Publisher destination() {
        return new Publisher.Destination(place, idPlace, payloadPlace, Durations.parse("--for", listenFor));
    }
}
