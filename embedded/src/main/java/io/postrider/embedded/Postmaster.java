package io.postrider.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One running server process, supervised by a small shell that outlives the JVM only to clean up.
 *
 * <p>The shell waits for the server and reads our end of a pipe: each line is a signal to pass on. The end of the pipe means that
 * the JVM has ended, by exit or by kill -9; the shell then stops the server and removes temporary directories. It runs in its own
 * session, or Ctrl-C would stop the server before the application has finished with it.
 */
final class Postmaster {

    private static final String KEEPER = """
            data=$1; programs=$2; shift 2; gone=
            exec 3<&0
            trap 'gone=1; kill -INT "$server"' USR1
            "$@" </dev/null >&2 3<&- & server=$!
            echo "$server"
            (while read -r signal <&3; do kill -"$signal" "$server"; done; kill -USR1 $$) & reader=$!
            wait "$server"; code=$?
            if [ -n "$gone" ]; then wait "$server"; fi
            kill "$reader"
            if [ -n "$gone" ] && [ -n "$data" ]; then rm -rf "$data"; fi
            if [ -n "$gone" ] && [ -n "$programs" ]; then rm -rf "$programs"; fi
            exit "$code"
            """;

    private static final Duration FAST_STOP = Duration.ofSeconds(30);
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private final Process keeper;
    private final long pid;
    private final Path log;
    private final long logBegin;

    private Postmaster(Process keeper, long pid, Path log, long logBegin) {
        this.keeper = keeper;
        this.pid = pid;
        this.log = log;
        this.logBegin = logBegin;
    }

    /** Returns when the server accepts connections. */
    static Postmaster start(Binaries binaries, DataDirectory data, Account account, Duration timeout) {
        try {
            Path log = data.log();
            long logBegin = Files.exists(log) ? Files.size(log) : 0;
            List<String> command = new ArrayList<>();
            if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
                command.add("/usr/bin/setsid");
            }
            command.addAll(List.of(
                    "/bin/sh",
                    "-c",
                    KEEPER,
                    "sh",
                    data.temporary() ? data.root().toString() : "",
                    binaries.temporary().map(Path::toString).orElse("")));
            command.addAll(account.command(
                    binaries.program("postgres").toString(),
                    "-D",
                    data.cluster().toString(),
                    "-c",
                    "config_file=" + data.settings()));
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            // Otherwise the server would take settings from the environment variables for the user's psql.
            builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
            Process keeper = builder.start();
            Postmaster postmaster = new Postmaster(keeper, readPid(keeper, log), log, logBegin);
            postmaster.awaitReady(data, timeout);
            return postmaster;
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot start PostgreSQL: " + Binaries.reason(e), e);
        }
    }

    long pid() {
        return pid;
    }

    boolean running() {
        return keeper.isAlive();
    }

    /** A clean stop that ends sessions; escalates if it takes too long, because a session can be stuck. */
    void stop() {
        signal("INT");
        if (!ended(FAST_STOP)) {
            signal("QUIT");
            if (!ended(AT_ONCE)) {
                kill();
            }
        }
        letGo();
    }

    /** Like a power failure: kills the server and all its processes, without a chance to write anything. */
    void kill() {
        // Stopped first, so that it starts no more processes while we list them. The children are killed after it,
        // because it would react to their deaths.
        signal("STOP");
        Processes.await(() -> Processes.stopped(pid) || !running(), Duration.ofMillis(200));
        List<Long> children;
        try (Stream<ProcessHandle> handles = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children)) {
            children = handles.map(ProcessHandle::pid).toList();
        }
        signal("KILL");
        boolean gone = ended(AT_ONCE);
        children.forEach(child -> ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly));
        gone &= Processes.await(() -> children.stream().noneMatch(Processes::alive), AT_ONCE);
        letGo();
        if (!gone) {
            throw new EmbeddedPostgresException("PostgreSQL (pid " + pid + ") cannot be killed");
        }
    }

    private boolean ended(Duration timeout) {
        return Processes.await(() -> !running(), timeout);
    }

    /** Sends the signal through the pipe: the JVM has no call for it, and starting a program takes longer. */
    private void signal(String name) {
        OutputStream pipe = keeper.getOutputStream();
        try {
            pipe.write((name + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // The server and its shell have ended.
        }
    }

    private void letGo() {
        try {
            keeper.getOutputStream().close();
        } catch (IOException e) {
            // closed already
        }
    }

    private static long readPid(Process keeper, Path log) throws IOException {
        try (BufferedReader reader = keeper.inputReader(StandardCharsets.US_ASCII)) {
            String line = reader.readLine();
            if (line == null) {
                throw new IOException("no answer from /bin/sh, see " + log);
            }
            return Long.parseLong(line.trim());
        }
    }

    private void awaitReady(DataDirectory data, Duration timeout) throws IOException {
        boolean inTime = Processes.await(() -> !running() || isReady(data.postmasterPid()), timeout);
        if (inTime && running()) {
            return;
        }
        String problem = inTime ? problem() : "not ready after " + timeout.toSeconds() + " s, see " + log;
        stop();
        if (problem.contains("could not bind") || problem.contains("could not create any TCP/IP sockets")) {
            throw new PortTakenException();
        }
        throw new IOException(problem);
    }

    /** Compares the pid, because a crash leaves the file of the previous server, which was ready too. */
    private boolean isReady(List<String> lines) {
        return lines.size() >= 8
                && lines.get(0).trim().equals(Long.toString(pid))
                && lines.get(7).trim().equals("ready");
    }

    /** What this start logged until it gave up, in one line. */
    private String problem() throws IOException {
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ)) {
            channel.position(Math.min(logBegin, channel.size()));
            String text = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.contains("LOG:  starting PostgreSQL"))
                    .map(line -> line.replaceFirst("^.*?(?=(LOG|WARNING|FATAL|PANIC|HINT|DETAIL): )", ""))
                    .collect(Collectors.joining("; "));
        }
    }

    /** Another program listens on the port; another port may work. */
    static final class PortTakenException extends RuntimeException {}
}
