package io.postrider.cli;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command without a subcommand: shows the list of commands. */
@Command(
        name = "postrider",
        header = "A transactional log of events, a job queue and a realtime gateway on your PostgreSQL.",
        versionProvider = Version.class,
        description = {
            "Select the database with --database-url after the command, with POSTRIDER_DATABASE_URL, with PSQL_HOST, PSQL_PORT,"
                    + " PSQL_USER, PSQL_PASSWORD and PSQL_DATABASE, or with the variables of psql (PGHOST, PGPORT, PGUSER,"
                    + " PGPASSWORD, PGDATABASE, PGSSLMODE).",
            "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict, 5 unreachable."
        },
        footer = {
            "  postrider demo                            start the demo with its own database",
            "  export POSTRIDER_DATABASE_URL=postgres://me@localhost/shop",
            "  postrider migrate                         create or update the schema",
            "  postrider emit orders order.placed '{\"order\":1}'",
            "  postrider tail orders --follow",
            "  postrider doctor                          find problems and how to fix them"
        })
@SuppressWarnings("UnusedVariable") // help and version are read by picocli
final class PostriderCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version and exit.")
    private boolean version;

    PostriderCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return ExitCode.USAGE;
    }
}
