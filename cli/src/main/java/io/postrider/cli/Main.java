package io.postrider.cli;

import java.util.Arrays;
import java.util.List;

/** The command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        setLogLevel(Arrays.asList(args));
        Terminal terminal = Terminal.ofProcess();
        int code = run(terminal, args);
        terminal.out().flush();
        System.exit(code);
    }

    /** Runs a command and gives its exit code. */
    public static int run(Terminal terminal, String... args) {
        if (BenchCommand.isMeant(args)) {
            return BenchCommand.run(terminal, args);
        }
        return new Cli(terminal).run(args);
    }

    /**
     * Before the first logger is made, because the level is read once. Warnings only; the demo draws a screen, on which a
     * line of log would be a stain, and its failures are meant.
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
