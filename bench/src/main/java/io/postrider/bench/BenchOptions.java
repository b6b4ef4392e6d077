package io.postrider.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command.
 *
 * @param suite log, jobs, realtime or alternatives
 * @param only the one scenario to run; null for all
 * @param rounds null for the scale's default
 * @param databaseUrl a server to use instead of its own; databases are created on it and dropped again
 */
record BenchOptions(
        String suite,
        boolean json,
        boolean brief,
        @Nullable String only,
        @Nullable Integer rounds,
        @Nullable String databaseUrl) {

    private static final List<String> SUITES = List.of("log", "jobs", "realtime", "alternatives");

    static final String USAGE = """
            postrider bench log                        every scenario, on a PostgreSQL of its own; about 40 minutes
            postrider bench jobs                       the same for jobs; about 15 minutes
            postrider bench realtime                   from commit to the screen, and to Kafka; about 10 minutes
            postrider bench alternatives               six ways to read an outbox: loss, delay, stalls; about 15 minutes
            postrider bench log --short                about a minute; the results are too inexact to publish
            postrider bench log --json                 one object on standard output, the table on standard error
            postrider bench log --only producers       one of: %s
            postrider bench jobs --only steady         one of: %s
            postrider bench realtime --only fan_out    one of: %s
            postrider bench log --rounds 9             more rounds, for a more stable median (at least 5 for published results)
            postrider bench log --database-url URL     on this server, in databases that are made and dropped""";

    /** The user's error, in one sentence. */
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    static BenchOptions parse(String[] args, List<String> scenarios) throws UsageException {
        Deque<String> words = new ArrayDeque<>(List.of(args));
        String what = words.pollFirst();
        if (what == null) {
            throw new UsageException("bench needs a suite: log, jobs, realtime or alternatives");
        }
        if (!SUITES.contains(what)) {
            throw new UsageException("no such bench '" + what + "'; there are: " + String.join(", ", SUITES));
        }
        if (scenarios.isEmpty()) {
            throw new UsageException(
                    "bench " + what + " is not on the class path; start it by the script: ./postrider bench " + what);
        }
        boolean json = false;
        boolean brief = false;
        String only = null;
        Integer rounds = null;
        String databaseUrl = null;
        while (!words.isEmpty()) {
            String word = words.removeFirst();
            switch (word) {
                case "--json" -> json = true;
                case "--short" -> brief = true;
                case "--only" -> only = scenario(value(word, words), scenarios);
                case "--rounds" -> rounds = rounds(value(word, words));
                case "--database-url" -> databaseUrl = value(word, words);
                default -> throw new UsageException("no such option '" + word + "'");
            }
        }
        return new BenchOptions(what, json, brief, only, rounds, databaseUrl);
    }

    private static String value(String option, Deque<String> words) throws UsageException {
        String value = words.pollFirst();
        if (value == null || value.startsWith("--")) {
            throw new UsageException(option + " needs a value");
        }
        return value;
    }

    private static String scenario(String name, List<String> scenarios) throws UsageException {
        if (!scenarios.contains(name)) {
            throw new UsageException("--only must be one of " + String.join(", ", scenarios) + ", was '" + name + "'");
        }
        return name;
    }

    private static int rounds(String text) throws UsageException {
        try {
            int rounds = Integer.parseInt(text);
            if (rounds >= 1 && rounds <= 1_000) {
                return rounds;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException("--rounds must be 1..1000, was '" + text + "'");
    }
}
