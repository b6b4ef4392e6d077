package io.postrider.cli;

import io.postrider.cli.terminal.Terminal;
import java.util.Arrays;
import java.util.List;

/** The entry point of the command line. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        setLogLevel(Arrays.asList(args));
        Terminal terminal = Terminal.ofProcess();
        int code = run(terminal, args);
        terminal.out().flush();
        System.exit(code);
    }

    /** Runs a command and returns its exit code. */
    public static int run(Terminal terminal, String... args) {
        if (BenchCommand.isMeant(args)) {
            return BenchCommand.run(terminal, args);
        }
        return new Cli(terminal).run(args);
    }

    /**
     * Runs before the first logger is created, because the level is read only once. Logs warnings only. The demo logs nothing: a
     * log line would spoil its screen, and its failures are intended.
     */
    private static void setLogLevel(List<String> args) {
        int end = args.indexOf("--");
        List<String> options = end < 0 ? args : args.subList(0, end);
        boolean verbose = options.contains("--verbose") || options.contains("-v");
        boolean demo = !args.isEmpty() && args.get(0).equals("demo");
        String level = verbose ? "info" : demo ? "off" : "warn";
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", level);
    }
}
