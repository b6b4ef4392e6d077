package io.postrider.internal.listen;

import io.postrider.internal.log.Heads;
import java.time.Duration;

/** The waits of a listener: each ends when its topic moves or it is woken, and after one second at the latest. */
final class TopicWait {
    /** What changes without a signal, such as the loss of the lock, is noticed after this time. */
    static final Duration LONGEST = Duration.ofSeconds(1);

    private final Heads heads;
    private final String topic;

    TopicWait(Heads heads, String topic) {
        this.heads = heads;
        this.topic = topic;
    }

    /** Waits for events after a position. */
    void forEvents(long after, Duration most) throws InterruptedException {
        heads.awaitBeyond(topic, after, most.compareTo(LONGEST) < 0 ? most : LONGEST);
    }

    /** Waits for a nudge only. */
    void forNudge(Duration most) throws InterruptedException {
        forEvents(Long.MAX_VALUE, most);
    }
}
