package io.postrider.redis;

import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.gateway.Feed.Receiver;
import io.postrider.gateway.LogFeed;
import io.postrider.log.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One topic of a {@link RedisFeed}, by a thread of its own: the position that was handed over, and the rule that only the event
 * after it comes next.
 *
 * <pre>
 * BEGINNING  reads the head of the log and the last events before it, and hands them over. The channel is listened to already, so
 *            what is published meanwhile waits in the inbox.
 * RIDING     takes what is in the inbox. A believed event at the next position is handed on; at an earlier one it is dropped; at
 *            a later one, and for a hint, the log is read up to its head. After a while without anything it looks at the head by
 *            itself, since a lost message may have been the last one: after 1 s while the channel is listened to, after 200 ms
 *            while it is not, or while the last look found what no message had told.
 * CLOSED     by close(); what is being handed over is finished first.
 * </pre>
 *
 * A failure of the log or of the receiver, of whatever kind, leaves the position where it is; after a rest the log is read from
 * there. The first rest is 200 ms, each one after it twice as long, up to 2 s, until something has been handed over. Only what
 * retention has taken meanwhile is passed over.
 */
final class TopicFeed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicFeed.class);
    private static final int AT_ONCE = 500;
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration AWAY = Duration.ofMillis(200);

    private static final Duration LONGEST_REST = Duration.ofSeconds(2);

    /** After a hint that nothing came of: whoever makes hints up costs the database ten reads a second, not more. */
    private static final Duration FOOLED = Duration.ofMillis(100);

    /** How often the last event is compared with the log, whatever comes over the channel. */
    private static final Duration COMPARE = Duration.ofSeconds(10);

    private final Log events;
    private final String topic;
    private final int recent;
    private final Receiver receiver;
    private final BooleanSupplier listening;
    private final LongAdder repaired;
    private final Inbox inbox = new Inbox();
    private final Trail trail = new Trail();
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private long position = -1;

    /** The last look found what no message had told of: the relay is behind, or away. */
    private boolean behind;

    private Duration wait = Duration.ZERO;
    private Duration nextRest = AWAY;
    private long lastLook = System.nanoTime();
    private long lastCompared = System.nanoTime();

    record Order(String topic, int recent, Receiver receiver) {}

    TopicFeed(Log events, Order order, BooleanSupplier listening, LongAdder repaired) {
        this.events = events;
        this.topic = order.topic();
        this.recent = order.recent();
        this.receiver = order.receiver();
        this.listening = listening;
        this.repaired = repaired;
        this.thread = new Thread(this::run, "postrider-redis-feed-" + order.topic());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    Inbox inbox() {
        return inbox;
    }

    private void run() {
        while (closed.getCount() > 0) {
            try {
                if (position < 0) {
                    begin();
                }
                ride();
            } catch (InterruptedException e) {
                return;
            } catch (PostriderException e) {
                stumble(e);
            } catch (RuntimeException | Error e) {
                log.error("redis_feed_stumbled topic={} position={}", topic, position, e);
                restLonger();
            }
        }
    }

    private void restLonger() {
        rest(nextRest);
        Duration twice = nextRest.multipliedBy(2);
        nextRest = twice.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : twice;
    }

    private void begin() throws InterruptedException {
        List<LogEvent> last = LogFeed.recent(events, topic, Math.max(1, recent));
        long head =
                last.isEmpty() ? events.head(topic) : last.get(last.size() - 1).position();
        receiver.begins(head, recent == 0 ? List.of() : last);
        trail.add(last);
        position = head;
    }

    private void stumble(PostriderException e) {
        log.warn("redis_feed_stumbled topic={} position={} error=\"{}\"", topic, position, e.getMessage());
        try {
            if (e.kind() == PostriderException.Kind.CONFLICT && position >= 0) {
                passOverWhatIsGone();
            }
        } catch (PostriderException again) {
            log.warn("redis_feed_stumbled topic={} error=\"{}\"", topic, again.getMessage());
        }
        restLonger();
    }

    /** We were away for longer than the log is kept. What comes next has a hole before it, and the receiver deals with that. */
    private void passOverWhatIsGone() {
        long oldest = events.oldest(topic);
        if (position < oldest) {
            trail.forgetAfter(0);
            position = oldest - 1;
        }
    }

    private void ride() throws InterruptedException {
        Inbox.Mail mail = inbox.take(wait);
        take(mail.events());
        boolean fooled = false;
        if (mail.hint() > position) {
            fooled = !fill(); // a hint, or an event that was dropped because the inbox was full
        }
        if (mail.nudged() || sinceLook().compareTo(pause()) >= 0) {
            look();
        }
        if (sinceCompared().compareTo(COMPARE) >= 0) {
            compare();
        }
        if (fooled) {
            rest(FOOLED);
        }
        Duration left = pause().minus(sinceLook());
        wait = left.isNegative() ? Duration.ZERO : left;
    }

    private Duration pause() {
        return listening.getAsBoolean() && !behind ? QUIET : AWAY;
    }

    private Duration sinceCompared() {
        return Duration.ofNanos(System.nanoTime() - lastCompared);
    }

    private Duration sinceLook() {
        return Duration.ofNanos(System.nanoTime() - lastLook);
    }

    // ── what was sent ───────────────────────────────────────────────────────────────────────────────────────────────

    private void take(List<LogEvent> sent) throws InterruptedException {
        List<LogEvent> next = new ArrayList<>();
        for (LogEvent event : sent) {
            if (event.position() > position + next.size() + 1) {
                handOver(next);
                next = new ArrayList<>();
                fill();
            }
            if (event.position() == position + next.size() + 1) {
                next.add(event);
            } else if (trail.contradicts(event) && sinceCompared().compareTo(QUIET) >= 0) {
                handOver(next); // not for each: somebody may play old messages of another log again
                next = new ArrayList<>();
                compare();
            }
        }
        if (!next.isEmpty()) {
            handOver(next);
            lastLook = System.nanoTime();
            behind = false;
        }
    }

    private void handOver(List<LogEvent> next) throws InterruptedException {
        if (!next.isEmpty()) {
            receiver.events(next);
            trail.add(next);
            position = next.get(next.size() - 1).position();
            nextRest = AWAY;
        }
    }

    // ── what is in the log ──────────────────────────────────────────────────────────────────────────────────────────

    private void look() throws InterruptedException {
        lastLook = System.nanoTime();
        long head = events.head(topic);
        if (head < position) {
            compare();
        }
        behind = head > position && fill();
    }

    /** Hands over all that the log has after the position. Gives whether there was anything. */
    private boolean fill() throws InterruptedException {
        boolean any = false;
        while (closed.getCount() > 0) {
            boolean overlaps = trail.knows(position);
            List<LogEvent> read = events.read(topic, overlaps ? position - 1 : position, AT_ONCE);
            if (overlaps && (read.isEmpty() || trail.contradicts(read.get(0)))) {
                compare();
                return true;
            }
            List<LogEvent> next = overlaps ? read.subList(1, read.size()) : read;
            if (next.isEmpty()) {
                return any;
            }
            handOver(List.copyOf(next));
            repaired.add(next.size());
            lastLook = System.nanoTime();
            any = true;
        }
        return any;
    }

    /** Whether the log still is what was handed over; if not, goes back to where it was the same. */
    private void compare() throws InterruptedException {
        lastCompared = System.nanoTime();
        long head = events.head(topic);
        long oldest = events.oldest(topic);
        if (head >= position && (!trail.knows(position) || position < oldest || isThere())) {
            return;
        }
        long upto = Math.min(head, position);
        long from = Math.min(upto, Math.max(oldest - 1, trail.start().orElse(upto)));
        long common = common(from, upto);
        log.warn(
                "redis_feed_changed topic={} position={} head={} the log is not the one it was", topic, position, head);
        receiver.changed(common);
        trail.forgetAfter(common);
        position = common;
        inbox.nudge();
    }

    private boolean isThere() {
        List<LogEvent> last = events.read(topic, position - 1, 1);
        return !last.isEmpty() && !trail.contradicts(last.get(0));
    }

    /** The last position up to which the log is what was handed over. It may be cut back, or forget, while it is read. */
    private long common(long after, long upto) {
        long common = after;
        while (common < upto) {
            List<LogEvent> read = events.read(topic, common, (int) Math.min(AT_ONCE, upto - common));
            common = trail.common(common, read);
            if (read.isEmpty() || common < read.get(read.size() - 1).position()) {
                return common;
            }
        }
        return common;
    }

    private void rest(Duration most) {
        try {
            closed.await(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        inbox.nudge();
        try {
            thread.join(5_000);
            if (thread.isAlive()) {
                thread.interrupt(); // the receiver holds it
                thread.join(5_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
