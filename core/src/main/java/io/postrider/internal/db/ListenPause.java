package io.postrider.internal.db;

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

    private final Duration first;
    private Duration pause = Duration.ZERO;
    private long until = System.nanoTime();

    public ListenPause() {
        this(FIRST);
    }

    ListenPause(Duration first) {
        this.first = first;
    }

    boolean isOver() {
        return System.nanoTime() - until >= 0;
    }

    void flooded(String channel, NotificationWait.Flood flood) {
        long now = System.nanoTime();
        boolean again = !pause.isZero() && now - until < LONGEST.toNanos();
        Duration doubled = again ? pause.multipliedBy(2) : first;
        pause = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
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
