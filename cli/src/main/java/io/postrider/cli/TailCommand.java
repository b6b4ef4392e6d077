package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.cli.tail.Follower;
import io.postrider.cli.tail.LinePrinter;
import io.postrider.cli.tail.Sequencing;
import io.postrider.cli.tail.Tail;
import io.postrider.cli.text.Nearest;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import io.postrider.log.LogReader;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the events of a topic, and those to come. */
@Command(
        name = "tail",
        header = "Print the events of a topic, and those to come.",
        description = {
            "Reads beside the listeners and moves nobody's cursor. If no node runs, it gives events their positions itself.",
            "With --json one object a line: topic, position, event_id, type, key, project_id, user_id, aggregate_type,"
                    + " aggregate_id, created_at, headers, payload."
        },
        footer = {
            "  postrider tail orders                          the last ten",
            "  postrider tail orders --follow                 the last ten, and what comes",
            "  postrider tail orders --from beginning --json | jq .payload",
            "  postrider tail orders --from 1042 --limit 1    one event"
        })
final class TailCommand implements Callable<Integer> {
    private static final Sql TOPICS = Sql.text(
            "topics",
            "with recursive t as ((select h.topic from postrider.head h order by h.topic limit 1) union all"
                    + " select (select h.topic from postrider.head h where h.topic > t.topic order by h.topic limit 1) from t"
                    + " where t.topic is not null) select t.topic from t where t.topic is not null limit 1000");

    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "The log to read.")
    @SuppressWarnings("NullAway.Init") // required
    private String topic;

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            description = "beginning, end, a position, or -N for the last N (default: -10).")
    private String from = "-10";

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with the events to come, until Ctrl-C.")
    private boolean follow;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "End after so many events.")
    private @Nullable Long limit;

    @Option(names = "--json", description = "An object a line.")
    private boolean json;

    TailCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() throws InterruptedException {
        Names.topic(topic);
        From where = From.parse(from);
        long most = limit == null ? Long.MAX_VALUE : limit;
        if (most < 1) {
            throw PostriderException.refused("--limit must be at least 1, was " + most);
        }
        Database db = database.database();
        database.requireUsable(db);
        boolean sequences = Sequencing.catchUp(db, terminal::say);
        if (!follow) {
            refuseUnknownTopic(db);
        }
        Tail tail = new Tail(new LogReader(db), topic, where.after(db, topic), most, printer());
        if (follow) {
            new Follower(
                            database.options(),
                            database.dataSource(),
                            database.direct().orElse(null),
                            sequences,
                            terminal::say)
                    .follow(tail);
        } else {
            db.autocommit(tail::toTheHead);
        }
        return Exit.OK;
    }

    /** A person gets lines that fit; a file or a pipe gets them whole. */
    private LinePrinter printer() {
        int width = !json && terminal.ttys().out() ? terminal.size().columns() : Integer.MAX_VALUE;
        return new LinePrinter(
                terminal.out(),
                json ? event -> EventJson.line(event).toString() : LinePrinter.readable(terminal.ink(), width));
    }

    private void refuseUnknownTopic(Database db) {
        List<String> topics = db.autocommit(session -> session.query(TOPICS, Bind::nothing, row -> row.text("topic")));
        if (topics.size() < 1_000 && !topics.contains(topic)) {
            throw new PostriderException(
                    Kind.NOT_FOUND,
                    "no topic " + topic + Nearest.hint(topic, topics)
                            + (topics.isEmpty() ? ": nothing has been emitted yet" : ""));
        }
    }
}
