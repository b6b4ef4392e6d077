package io.postrider.livechat;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the trouble buttons do to processes and connections; implemented by whoever runs them. What they do to the database
 * (hold a transaction open, fail the companion) the example does by itself.
 */
public interface Trouble {
    /** Ends the worker's process as {@code kill -9} does, and returns when it is gone. Somebody starts another one. */
    void killWorker();

    /** How the worker's process stands. */
    WorkerState worker();

    /** Cuts the streams of these users, as a failing network would; gives how many. The tokens stay good. */
    int cutStreams(Set<String> users);

    /**
     * How the worker's process stands.
     *
     * @param up whether it has said that it works
     * @param pid of the one that runs, or was started last
     * @param since when it came up; when it went down, if it is down
     * @param kills how often it was killed
     * @param lastGap how long the last one was down, in milliseconds; null: never, or still down
     */
    record WorkerState(
            boolean up,
            long pid,
            Instant since,
            int kills,
            @Nullable Long lastGap) {}
}
