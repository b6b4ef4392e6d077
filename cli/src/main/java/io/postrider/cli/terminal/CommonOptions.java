package io.postrider.cli.terminal;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of every command; they come last in its help. */
@Command
@SuppressWarnings("UnusedVariable") // set and read by picocli
public final class CommonOptions {
    public static final String VERBOSE = "--verbose";

    @Option(
            names = {"-v", VERBOSE},
            order = 98,
            description = "Log to standard error, and show the stack trace of an error.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            order = 99,
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;
}
