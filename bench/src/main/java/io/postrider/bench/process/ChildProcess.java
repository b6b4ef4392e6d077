package io.postrider.bench.process;

import io.postrider.bench.database.BenchDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A separate process, as in production, usually a consumer. It gets commands as lines on its standard input and answers each with
 * one line. It exits when its input ends, so also when this process is killed.
 */
public final class ChildProcess implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long ANSWER_SECONDS = 120;
    private static final int CLOCK_LOOKS = 20;

    private final Process process;
    private final PrintWriter to;
    private final BufferedReader from;

    private ChildProcess(Process process) {
        this.process = process;
        this.to = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        this.from = process.inputReader(StandardCharsets.UTF_8);
    }

    /** @param kind see {@link ConsumerMain}; the database is passed through the pipe, since arguments are visible to everybody */
    public static ChildProcess start(String kind, BenchDatabase database) throws IOException {
        return start(ConsumerMain.class, "512m", List.of(kind), told(database));
    }

    /** The address of a database, in the lines that a child reads first. */
    public static List<String> told(BenchDatabase database) {
        return List.of(database.url(), orEmpty(database.user()), orEmpty(database.password()));
    }

    /**
     * Started with this process's class path.
     *
     * @param main supports at least {@code ready} and {@code clock}
     * @param told the lines that it reads first: private data, unlike arguments
     */
    public static ChildProcess start(Class<?> main, String heap, List<String> arguments, List<String> told)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heap);
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(arguments);
        ChildProcess child = new ChildProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        try {
            told.forEach(child.to::println);
            child.ask("ready");
            child.requireSameClock();
            return child;
        } catch (RuntimeException e) {
            child.close();
            throw e;
        }
    }

    /** Sends one command and returns its answer. A process that does not answer for two minutes is killed. */
    public String ask(String command) {
        to.println(command);
        CompletableFuture<Void> giveUp = CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(ANSWER_SECONDS, TimeUnit.SECONDS));
        try {
            String answer = from.readLine();
            if (answer == null) {
                throw new IllegalStateException("the consumer's process ended at '" + command + "'");
            }
            if (!answer.startsWith("ok")) {
                throw new IllegalStateException("the consumer failed at '" + command + "': " + answer);
            }
            return answer.substring(2).strip();
        } catch (IOException e) {
            throw new IllegalStateException("the consumer's process does not answer '" + command + "'", e);
        } finally {
            giveUp.cancel(false); // what is cancelled is not run when its time comes
        }
    }

    /** The number of events its handler has received. */
    public long handled() {
        return Long.parseLong(ask("count"));
    }

    /** How often a producer has woken it. */
    public long notified() {
        return Long.parseLong(ask("notified"));
    }

    /** The median time of its sequencer's passes since the last query, in milliseconds. */
    public double passMillis() {
        return Double.parseDouble(ask("passes"));
    }

    /** When its handler received each of the events of a tag; waits until it has received all. */
    public long[] awaitHandled(long tag, int events) throws InterruptedException {
        long began = System.nanoTime();
        long[] handled = new long[events];
        int missing = events;
        while (missing > 0) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IllegalStateException(missing + " of " + events + " events have not reached the consumer");
            }
            for (String entry : ask("dump").split(" ", -1)) {
                String[] parts = entry.split(":", -1);
                if (parts.length == 3 && Long.parseLong(parts[0]) == tag) {
                    int i = Integer.parseInt(parts[1]);
                    missing -= handled[i] == 0 ? 1 : 0;
                    handled[i] = handled[i] == 0 ? Long.parseLong(parts[2]) : handled[i];
                }
            }
            TimeUnit.MILLISECONDS.sleep(missing > 0 ? 5 : 0);
        }
        return Arrays.copyOf(handled, events);
    }

    public long pid() {
        return process.pid();
    }

    /**
     * On Linux System.nanoTime reads CLOCK_MONOTONIC, which is shared by all processes. Java does not guarantee that, so it is
     * checked: the other's time must always lie between two of ours.
     */
    private void requireSameClock() {
        for (int i = 0; i < CLOCK_LOOKS; i++) {
            long before = System.nanoTime();
            long there = Long.parseLong(ask("clock"));
            long after = System.nanoTime();
            if (there - before < 0 || after - there < 0) {
                throw new IllegalStateException(
                        "processes on this machine do not share a clock: latency between them" + " cannot be measured");
            }
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    @Override
    public void close() {
        to.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
