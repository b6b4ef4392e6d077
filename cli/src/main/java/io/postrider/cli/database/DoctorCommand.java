package io.postrider.cli.database;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Finding;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the database and suggests what to do about each problem. */
@Command(
        name = "doctor",
        header = "Check the database and report each problem with its cause and fix.",
        description = {
            "Read-only. Prints one line per check: ok, warn or fail. Sessions that block something are listed with pid, user,"
                    + " age and query; a role outside pg_monitor does not see the queries of other roles.",
            "Exits with 1 if a check fails; with --strict, also if a check warns."
        },
        footer = {
            "  postrider doctor",
            "  postrider doctor --strict",
            "  postrider doctor --json | jq 'select(.level != \"ok\")'",
            "  postrider doctor --direct-url postgres://me@db:5432/shop    if the database URL leads to a pooler"
        })
public final class DoctorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(
            names = "--keep-days",
            paramLabel = "DAYS",
            description =
                    "Retention time of your nodes in days; blocked retention is reported only after that (default: 7).")
    private @Nullable Integer keepDays;

    @Option(names = "--strict", description = "Also exit with 1 if a check warns.")
    private boolean strict;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        if (keepDays != null && (keepDays < 0 || keepDays > 36_500)) {
            throw PostriderException.refused("--keep-days must be 0..36500, was " + keepDays);
        }
        Map<Finding.Level, Integer> counts = new EnumMap<>(Finding.Level.class);
        try (Postrider postrider = Postrider.on(database.dataSource(), options())) {
            postrider.doctor().examine((check, finding) -> {
                counts.merge(finding.level(), 1, Integer::sum);
                print(check, finding);
            });
        }
        int failed = counts.getOrDefault(Finding.Level.FAIL, 0);
        terminal.out().flush();
        int warned = counts.getOrDefault(Finding.Level.WARN, 0);
        terminal.say(counts.getOrDefault(Finding.Level.OK, 0) + " ok, " + warned + " warn, " + failed + " fail");
        return failed == 0 && !(strict && warned > 0) ? ExitCode.OK : ExitCode.FAILURE;
    }

    private Options options() {
        Options options = database.options();
        Options kept = keepDays == null ? options : options.withKeep(Duration.ofDays(keepDays));
        return database.direct().map(kept::withDirect).orElse(kept);
    }

    private void print(String check, Finding finding) {
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("check", check)
                            .text("level", finding.level().name().toLowerCase(Locale.ROOT))
                            .text("text", finding.text())
                            .text("advice", finding.advice()));
            return;
        }
        AnsiColours colours = terminal.colours();
        String level = switch (finding.level()) {
            case OK -> colours.green("ok  ");
            case WARN -> colours.yellow("warn");
            case FAIL -> colours.red("fail");
        };
        String advice = finding.advice().isEmpty() ? "" : colours.dim(" → ") + PrintableText.line(finding.advice());
        terminal.out()
                .println(level + "  " + colours.bold(String.format("%-17s", check)) + "  "
                        + withoutArrow(finding.text()) + advice);
    }

    /** The text may quote a query or an error from elsewhere, which must not look like our advice. */
    private static String withoutArrow(String text) {
        return PrintableText.line(text).replace('→', '?');
    }
}
