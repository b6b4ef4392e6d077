package io.postrider.cli;

import io.postrider.Options;
import io.postrider.PostriderException;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.db.Database;
import io.postrider.doctor.Doctor;
import io.postrider.doctor.Finding;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks at the database, says what is wrong, names who is to blame, and what to do. */
@Command(
        name = "doctor",
        header = "Look at the database: what is wrong, who is to blame, what to do.",
        description = {
            "Only reads. A line for each check: ok, warn or fail. Sessions that hold something back are named with pid, user,"
                    + " age and query; a role outside pg_monitor does not see the queries of others.",
            "Exits with 1 if a check fails; with --strict also if one warns."
        },
        footer = {
            "  postrider doctor",
            "  postrider doctor --strict",
            "  postrider doctor --json | jq 'select(.level != \"ok\")'",
            "  postrider doctor --direct-url postgres://me@db:5432/shop    where the usual way is a pooler"
        })
final class DoctorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(
            names = "--keep-days",
            paramLabel = "DAYS",
            description = "How long your nodes keep events: retention is held back only after that (default: 7).")
    private @Nullable Integer keepDays;

    @Option(names = "--strict", description = "Exit with 1 also if a check warns.")
    private boolean strict;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        if (keepDays != null && (keepDays < 0 || keepDays > 36_500)) {
            throw PostriderException.refused("--keep-days must be 0..36500, was " + keepDays);
        }
        Duration keep = keepDays == null ? Options.defaults().keep() : Duration.ofDays(keepDays);
        DataSource dataSource = database.dataSource();
        Map<Finding.Level, Integer> counts = new EnumMap<>(Finding.Level.class);
        new Doctor(
                        new Database(dataSource, database.schema()),
                        database.direct().orElse(dataSource),
                        keep)
                .examine((check, finding) -> {
                    counts.merge(finding.level(), 1, Integer::sum);
                    print(check, finding);
                });
        int failed = counts.getOrDefault(Finding.Level.FAIL, 0);
        terminal.out().flush();
        int warned = counts.getOrDefault(Finding.Level.WARN, 0);
        terminal.say(counts.getOrDefault(Finding.Level.OK, 0) + " ok, " + warned + " warn, " + failed + " fail");
        return failed == 0 && !(strict && warned > 0) ? Exit.OK : Exit.FAILURE;
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
        Ink ink = terminal.ink();
        String level = switch (finding.level()) {
            case OK -> ink.green("ok  ");
            case WARN -> ink.yellow("warn");
            case FAIL -> ink.red("fail");
        };
        String advice = finding.advice().isEmpty() ? "" : ink.dim(" → ") + Clean.line(finding.advice());
        terminal.out()
                .println(level + "  " + ink.bold(String.format("%-17s", check)) + "  " + Clean.line(finding.text())
                        + advice);
    }
}
