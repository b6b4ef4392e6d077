package io.postrider.livechat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one worker process running: whenever it ends, for whatever reason, a new one is started.
 *
 * <pre>
 * STARTING  the process runs but has not said "ready" yet
 * UP        the process has said "ready"
 * DOWN      the process has ended; the next one starts immediately, or after a second if it never came up
 * CLOSED    after close(): the process is stopped, and no new one is started
 * </pre>
 *
 * <p>The child gets a pipe as its standard input and ends when that does, so that it does not outlive this process, however
 * this one ends.
 */
public final class Supervisor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration REST = Duration.ofSeconds(1);

    /** The line with which a worker reports that it is ready. */
    public static final String READY = "ready";

    private final List<String> command;
    private final Map<String, String> environment;
    private final Thread thread;
    private @Nullable Process process;
    private boolean up;
    private boolean closed;
    private Instant since = Instant.now();
    private int kills;
    private long killed;
    private @Nullable Long lastGap;

    private Supervisor(List<String> command, Map<String, String> environment) {
        this.command = command;
        this.environment = environment;
        this.thread = new Thread(this::run, "livechat-supervisor");
        this.thread.setDaemon(true);
    }

    /** Starts the worker with this command, and again whenever it ends. Pass secrets in the environment. */
    public static Supervisor of(List<String> command, Map<String, String> environment) {
        Supervisor supervisor = new Supervisor(List.copyOf(command), Map.copyOf(environment));
        supervisor.thread.start();
        return supervisor;
    }

    /** Kills the process like {@code kill -9}; returns when it is gone. It counts as down from the moment it is killed. */
    public void kill() {
        Process victim;
        synchronized (this) {
            victim = process;
            kills++;
            if (victim != null) {
                killed = victim.pid();
                victim.destroyForcibly();
                down(victim);
            }
        }
        if (victim != null) {
            victim.onExit().join();
            down(victim); // its last output may have been that it is up
        }
    }

    /** The pid of the process that was killed last; 0 if none was. */
    synchronized long killed() {
        return killed;
    }

    /** The state of the process. */
    public synchronized Trouble.WorkerState state() {
        return new Trouble.WorkerState(up, process == null ? 0 : process.pid(), since, kills, lastGap);
    }

    private void run() {
        while (true) {
            Process started = start();
            if (started == null) {
                return;
            }
            boolean cameUp = watch(started);
            down(started);
            if (!cameUp && !rest()) {
                return;
            }
        }
    }

    private synchronized @Nullable Process start() {
        if (closed) {
            return null;
        }
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            process = builder.start();
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException("the worker's process cannot be started: " + command.get(0), e);
        }
    }

    /** Reads its output until it ends; returns whether it became ready. */
    private boolean watch(Process started) {
        boolean cameUp = false;
        try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(READY)) {
                    cameUp = true;
                    up(started);
                }
            }
            started.onExit().join();
        } catch (IOException e) {
            log.debug("worker_output_ended pid={}", started.pid(), e);
        }
        return cameUp;
    }

    private synchronized void up(Process started) {
        if (process == started && started.isAlive()) {
            Instant now = Instant.now();
            lastGap = kills == 0 ? null : Duration.between(since, now).toMillis();
            since = now;
            up = true;
            log.info("worker_up pid={}", started.pid());
        }
    }

    private synchronized void down(Process ended) {
        if (process == ended && up) {
            up = false;
            since = Instant.now();
            lastGap = null;
            log.info("worker_down pid={} kills={}", ended.pid(), kills);
        }
    }

    private synchronized boolean rest() {
        try {
            wait(REST.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !closed;
    }

    @Override
    public void close() {
        Process last;
        synchronized (this) {
            closed = true;
            last = process;
            notifyAll();
        }
        if (last != null) {
            last.destroyForcibly().onExit().join();
        }
    }
}
