package io.postrider.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What every command has; the last in its help. */
@Command
@SuppressWarnings("UnusedVariable") // set and read by picocli
final class CommonOptions {
    static final String VERBOSE = "--verbose";

    @Option(
            names = {"-v", VERBOSE},
            order = 98,
            description = "Log what happens, on standard error, and where it fails.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            order = 99,
            usageHelp = true,
            description = "Show this.")
    private boolean help;
}
