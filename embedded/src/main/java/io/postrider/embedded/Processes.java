package io.postrider.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Process states that {@link ProcessHandle} does not report: a zombie is not alive, a stopped process is stopped. */
final class Processes {

    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(2).toNanos();

    private Processes() {}

    /** Whether it still runs. A zombie does not: under an init that does not reap, it would be "alive" forever. */
    static boolean alive(long pid) {
        return exists(pid) && state(pid) != 'Z';
    }

    /** Whether the pid is in use, even by a zombie. */
    static boolean exists(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    static boolean stopped(long pid) {
        char state = state(pid);
        return state == 'T' || state == 't';
    }

    /**
     * The uid of this process. It does not use user.name, which the environment can set, or the owner of a new file, which others
     * may be able to replace. The JDK's UnixSystem returns 0 for a uid without an entry in /etc/passwd.
     */
    static long uid() {
        try {
            Path status = Path.of("/proc/self/status");
            if (Files.exists(status)) {
                return Files.readAllLines(status, StandardCharsets.ISO_8859_1).stream()
                        .filter(line -> line.startsWith("Uid:"))
                        .map(line -> line.split("\\s+", -1)[2]) // real, effective, saved, file system
                        .mapToLong(Long::parseLong)
                        .findFirst()
                        .orElseThrow();
            }
            Process id = new ProcessBuilder("/usr/bin/id", "-u").start(); // macOS
            return Long.parseLong(new String(id.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim());
        } catch (IOException e) {
            throw new EmbeddedPostgresException("cannot find out the uid of this process: " + Binaries.reason(e), e);
        }
    }

    /** Linux's letter for the process state, or a space if it cannot be read. */
    private static char state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2); // the name before it may contain anything, even parentheses
        } catch (IOException | IndexOutOfBoundsException e) {
            return ' ';
        }
    }

    /** Returns false after the timeout. */
    static boolean await(BooleanSupplier condition, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            // An interrupt makes parking return at once: the loop then spins, but a half-stopped server is worse.
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        return true;
    }

    static int exitCode(Process process) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
