package io.postrider.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A main class in a separate JVM with this one's class path, to be killed, frozen and starved of memory. It reports its progress
 * as lines on standard output. If this JVM ends for any reason, so does the child.
 */
public final class ChildJvm implements AutoCloseable {

    private static final Duration EXIT = Duration.ofSeconds(60);
    private static final int ERRORS_KEPT = 50;

    private final String name;
    private final Process process;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final Deque<String> errors = new ArrayDeque<>();
    private int taken;

    private ChildJvm(String name, Process process) {
        this.name = name;
        this.process = process;
        drain("out", process.inputReader(StandardCharsets.UTF_8), lines::add);
        drain("err", process.errorReader(StandardCharsets.UTF_8), this::keepError);
    }

    /** Not started yet; 256 MB of heap. */
    public static Launch of(Class<?> main) {
        return new Launch(main.getName(), "256m", List.of(), Map.of(), null);
    }

    /** The next unread line that contains this text; lines before it are skipped. */
    public String awaitLine(String part, Duration timeout) {
        return awaitLine("a line with '" + part + "'", timeout, line -> line.contains(part));
    }

    public String awaitLine(String what, Duration timeout, Predicate<String> wanted) {
        try {
            return Await.value(what + " from " + name, timeout, () -> {
                boolean ended = !process.isAlive();
                Optional<String> line = take(wanted);
                if (line.isEmpty() && ended) {
                    throw new IllegalStateException("it has ended with exit code " + process.exitValue());
                }
                return line;
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; its output: " + lines() + "; its errors: " + errors(), e);
        }
    }

    /** Everything it has written to standard output so far. */
    public List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** The last 50 lines of its standard error. */
    public List<String> errors() {
        synchronized (errors) {
            return List.copyOf(errors);
        }
    }

    /** SIGKILL: no shutdown hook, no finally, no flush. Returns when the process has ended. */
    public void kill9() {
        process.destroyForcibly();
        awaitExit(EXIT);
    }

    /** SIGSTOP, like a long garbage collection or a paused virtual machine. Returns when the process has stopped. */
    public void freeze() {
        signal("STOP");
        Path stat = Path.of("/proc/" + pid() + "/stat");
        if (Files.exists(stat)) {
            Await.until(name + " is suspended", () -> {
                String text = Files.readString(stat);
                return text.charAt(text.lastIndexOf(')') + 2) == 'T';
            });
        }
    }

    /** SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Its exit code; 128 + n if it was ended by signal n. */
    public int awaitExit(Duration timeout) {
        try {
            if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("not within " + timeout.toMillis() + " ms: " + name
                        + " has ended; its output: " + lines() + "; its errors: " + errors());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the end of " + name, e);
        }
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        kill9();
    }

    private Optional<String> take(Predicate<String> wanted) {
        synchronized (lines) {
            while (taken < lines.size()) {
                String line = lines.get(taken++);
                if (wanted.test(line)) {
                    return Optional.of(line);
                }
            }
            return Optional.empty();
        }
    }

    private void keepError(String line) {
        synchronized (errors) {
            errors.addLast(line);
            if (errors.size() > ERRORS_KEPT) {
                errors.removeFirst();
            }
        }
    }

    /** Uses the shell's built-in kill, since a small image has no other. */
    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid())
                    .inheritIO()
                    .start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("cannot send SIG" + signal + " to " + name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending SIG" + signal, e);
        }
    }

    private void drain(String stream, BufferedReader reader, java.util.function.Consumer<String> sink) {
        Thread thread = new Thread(
                () -> {
                    try (reader) {
                        reader.lines().forEach(sink);
                    } catch (IOException | UncheckedIOException e) {
                        // the process has ended
                    }
                },
                "child-jvm-" + stream);
        thread.setDaemon(true);
        thread.start();
    }

    /** How to start it. Immutable. */
    public static final class Launch {
        private static final Pattern HEAP = Pattern.compile("[1-9][0-9]*[kmg]");

        private final String main;
        private final String heap;
        private final List<String> arguments;
        private final Map<String, String> properties;
        private final @Nullable ClassArchive archive;

        private Launch(
                String main,
                String heap,
                List<String> arguments,
                Map<String, String> properties,
                @Nullable ClassArchive archive) {
            this.main = main;
            this.heap = heap;
            this.arguments = arguments;
            this.properties = properties;
            this.archive = archive;
        }

        /** As for {@code -Xmx}: {@code 64m}. */
        public Launch withHeap(String size) {
            if (!HEAP.matcher(size).matches()) {
                throw new IllegalArgumentException("heap must be a size such as 64m, was " + size);
            }
            return new Launch(main, size, arguments, properties, archive);
        }

        public Launch withArguments(String... values) {
            return new Launch(main, heap, List.of(values), properties, archive);
        }

        /** A system property. */
        public Launch withProperty(String key, String value) {
            Map<String, String> more = new TreeMap<>(properties);
            more.put(key, value);
            return new Launch(main, heap, arguments, more, archive);
        }

        /**
         * For a child that is started repeatedly: runs it until it prints this text, ends it normally, and archives its classes,
         * so that later ones start in about half the time.
         */
        public Launch trained(String ready) {
            ClassArchive written = ClassArchive.create();
            try (ChildJvm first = start(written.classPath(), written.writing())) {
                first.awaitLine(ready, EXIT);
                first.process.destroy();
                first.awaitExit(EXIT);
            }
            return new Launch(main, heap, arguments, properties, written);
        }

        public ChildJvm start() {
            return archive == null
                    ? start(System.getProperty("java.class.path"), List.of())
                    : start(archive.classPath(), archive.reading());
        }

        private ChildJvm start(String classPath, List<String> flags) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-Xmx" + heap);
            command.add("-XX:+UseSerialGC");
            command.add("-XX:TieredStopAtLevel=1"); // a child lives for seconds: a fast start matters more
            command.add("-XX:+ExitOnOutOfMemoryError");
            command.addAll(flags);
            properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
            command.add("-cp");
            command.add(classPath);
            command.add(ChildMain.class.getName());
            command.add(main);
            command.addAll(arguments);
            try {
                return new ChildJvm(main, new ProcessBuilder(command).start());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
