package io.postrider.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What every command has; the last in its help. */
@Command
final class CommonOptions {
    @Option(
            names = {"-v", "--verbose"},
            order = 98,
            description = "Log what happens, on standard error, and where it fails.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            order = 99,
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    boolean isVerbose() {
        return verbose;
    }
}
