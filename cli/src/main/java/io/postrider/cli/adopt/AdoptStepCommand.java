package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.Durations;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A step of an adoption that changes something: its common options, and how its result is printed. */
abstract class AdoptStepCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--dry-run", description = "Show what would be done, and change nothing.")
    private boolean dryRun;

    @Option(
            names = "--within",
            paramLabel = "TIME",
            defaultValue = "1m",
            description =
                    "How long to try to lock the table: 500ms, 30s, 5m (default: 1m). Writers wait 300 ms at a time, after ten attempts up to 2 s.")
    private String within = "1m";

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    AdoptStepCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    abstract Adoptions.Result run(Adoptions adoptions);

    @Override
    public Integer call() {
        Adoptions.Result result = database.with(postrider -> {
            Adoptions adoptions = postrider.adoptions().withPatience(Durations.parse("--within", within));
            return run(dryRun ? adoptions.dryRun() : adoptions);
        });
        print(result);
        return ExitCode.OK;
    }

    Terminal terminal() {
        return terminal;
    }

    /** Progress goes to standard error: a line that is rewritten on a terminal, otherwise nothing. */
    void show(Adoptions.Progress progress) {
        if (terminal.ttys().err()) {
            terminal.err()
                    .print("\r" + Table.grouped(progress.done()) + " of " + Table.grouped(progress.total()) + " rows ");
            terminal.err().flush();
        }
    }

    private void print(Adoptions.Result result) {
        if (terminal.ttys().err()) {
            terminal.err().print("\r");
        }
        if (json) {
            terminal.out().println(json(result));
            return;
        }
        String step = result.step().name().toLowerCase(Locale.ROOT);
        StringBuilder line = new StringBuilder((result.dryRun() ? "would do " : "") + step + " " + result.source());
        result.counts()
                .forEach((what, rows) ->
                        line.append(", ").append(what).append(' ').append(Table.grouped(rows)));
        terminal.say(line + "; state " + result.state().name().toLowerCase(Locale.ROOT));
        if (result.dryRun()) {
            AdoptionText.statements(result.statements()).forEach(terminal.out()::println);
        }
        result.notes().forEach(note -> terminal.say("  " + note));
    }

    private static JsonLine json(Adoptions.Result result) {
        JsonLine counts = new JsonLine();
        result.counts().forEach(counts::number);
        return new JsonLine()
                .text("table", result.source())
                .text("step", result.step().name().toLowerCase(Locale.ROOT))
                .text("state", result.state().name().toLowerCase(Locale.ROOT))
                .bool("dry_run", result.dryRun())
                .raw("rows", counts.toString())
                .raw("statements", AdoptionText.json(result.statements()))
                .texts("notes", result.notes());
    }
}
