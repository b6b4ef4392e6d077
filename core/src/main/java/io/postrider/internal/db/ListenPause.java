package io.postrider.internal.db;

import io.postrider.Backoff;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time in which a node polls instead of listening, because other sessions flood its channel: 10 s after the first flood, twice as
 * long after each one that follows, up to 10 minutes. Used by one thread; outlives the connection.
 */
public final class ListenPause {
    private static final Logger log = LoggerFactory.getLogger(ListenPause.class);
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Backoff backoff;
    private int floods; // each one soon after the one before
    private long until = System.nanoTime();

    public ListenPause() {
        this(FIRST);
    }

    ListenPause(Duration first) {
        this.backoff = new Backoff(first, LONGEST);
    }

    boolean isOver() {
        return System.nanoTime() - until >= 0;
    }

    void flooded(String channel, NotificationWait.Flood flood) {
        long now = System.nanoTime();
        boolean again = now - until < LONGEST.toNanos();
        floods = again ? floods + 1 : 1;
        Duration pause = backoff.exact(floods);
        until = now + pause.toNanos();
        log.warn(
                "notifications_flooded channel={} bytes={} pid={} pause_ms={} another session sends notifications that are"
                        + " not Postrider's: polling instead; revoke CONNECT from roles that need no access",
                channel,
                flood.bytes(),
                flood.pid(),
                pause.toMillis());
    }
}
