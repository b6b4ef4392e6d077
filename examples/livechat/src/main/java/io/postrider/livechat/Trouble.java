package io.postrider.livechat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the trouble buttons do to processes and connections; implemented by the application that runs them. What they do to the
 * database (end its connections, hold a transaction open, fail the companion) is part of the example.
 */
public interface Trouble {
    /**
     * Kills one of the worker processes like {@code kill -9}, and returns its pid when it is gone; 0 if none was running. The
     * implementation starts a new one.
     */
    long killWorker();

    /** The state of each worker process. */
    List<WorkerState> workers();

    /** Cuts the streams of these users, as a failing network would; returns their number. The tokens stay valid. */
    int cutStreams(Set<String> users);

    /**
     * The state of a worker process.
     *
     * @param up whether it has reported that it is ready
     * @param pid of the running process, or of the one that was started last
     * @param since when it came up; when it went down, if it is down
     * @param kills number of times it was killed
     * @param lastGap how long it was down the last time, in milliseconds; null: never, or still down
     */
    record WorkerState(
            boolean up,
            long pid,
            Instant since,
            int kills,
            @Nullable Long lastGap) {}
}
