package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command without a subcommand: shows what there is. */
@Command(
        name = "postrider",
        header = "A transactional event log, listeners and jobs on your PostgreSQL.",
        versionProvider = Version.class,
        description = {
            "The database is given by --database-url after the command, or POSTRIDER_DATABASE_URL, or the variables that psql"
                    + " reads (PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSSLMODE).",
            "Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict, 5 unreachable."
        },
        footer = {
            "  postrider demo                            see it all at work, with a database of its own",
            "  export POSTRIDER_DATABASE_URL=postgres://me@localhost/shop",
            "  postrider migrate                         make the schema",
            "  postrider emit orders order.placed '{\"order\":1}'",
            "  postrider tail orders --follow",
            "  postrider doctor                          what is wrong, who is to blame, what to do"
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
            description = "Show this.")
    private boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    private boolean version;

    PostriderCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(terminal.err());
        return Exit.USAGE;
    }
}
