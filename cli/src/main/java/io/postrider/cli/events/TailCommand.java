package io.postrider.cli.events;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Log;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Names;
import io.postrider.support.Suggestion;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the events of a topic, and optionally follows it. */
@Command(
        name = "tail",
        header = "Print the latest events of a topic, or follow new ones.",
        description = {
            "Does not affect listeners. If no node is running, it assigns positions to committed events itself.",
            "Fields of --json: topic, position, event_id, type, key, project_id, user_id, aggregate_type,"
                    + " aggregate_id, created_at, headers, payload."
        },
        footer = {
            "  postrider tail orders                          the last ten events",
            "  postrider tail orders --follow                 the last ten and all new events",
            "  postrider tail orders --from beginning --json | jq .payload",
            "  postrider tail orders --from 1042 --limit 1    a single event"
        })
public final class TailCommand implements Callable<Integer> {
    private static final int MOST_TOPICS = 1_000;

    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Topic to read.")
    @SuppressWarnings("NullAway.Init") // required
    private String topic;

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            description = "Start: beginning, end, a position, or -N for the last N events (default: -10).")
    private String from = "-10";

    @Option(
            names = {"-f", "--follow"},
            description = "Print new events until Ctrl-C.")
    private boolean follow;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "Stop after N events.")
    private @Nullable Long limit;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    public TailCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws InterruptedException {
        Names.topic(topic);
        TailStart where = TailStart.parse(from);
        long most = limit == null ? Long.MAX_VALUE : limit;
        if (most < 1) {
            throw PostriderException.refused("--limit must be at least 1, was " + most);
        }
        boolean sequences = database.with(postrider -> Sequencing.catchUp(postrider.log(), terminal::say));
        Tail tail = database.with(postrider -> tail(postrider.log(), where, most));
        if (follow) {
            new Follower(
                            database.options(),
                            database.dataSource(),
                            database.direct().orElse(null),
                            sequences,
                            terminal::say)
                    .follow(tail);
        } else {
            Follower.readOnce(database.options(), database.dataSource(), tail);
        }
        return ExitCode.OK;
    }

    /** On a terminal, lines are cut to its width; a file or a pipe gets whole lines. */
    private LinePrinter printer() {
        int width = !json && terminal.ttys().out() ? terminal.size().columns() : Integer.MAX_VALUE;
        return new LinePrinter(
                terminal.out(),
                json ? event -> EventJson.line(event).toString() : LinePrinter.readable(terminal.colours(), width));
    }

    private Tail tail(Log log, TailStart where, long most) {
        if (!follow) {
            refuseUnknownTopic(log);
        }
        return new Tail(topic, where.after(log, topic), most, printer());
    }

    private void refuseUnknownTopic(Log log) {
        List<String> topics = log.topics(MOST_TOPICS);
        if (topics.size() < MOST_TOPICS && !topics.contains(topic)) {
            throw new PostriderException(
                    Kind.NOT_FOUND,
                    "no topic " + topic + Suggestion.hint(topic, topics)
                            + (topics.isEmpty() ? ": nothing has been emitted yet" : ""));
        }
    }
}
