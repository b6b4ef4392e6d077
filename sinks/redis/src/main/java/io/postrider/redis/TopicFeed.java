package io.postrider.redis;

import io.postrider.Backoff;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.admin.Log;
import io.postrider.gateway.Feed.Receiver;
import io.postrider.gateway.LogFeed;
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
 * One topic of a {@link RedisFeed}, with its own thread. It tracks the delivered position and enforces that only the event right
 * after it comes next.
 *
 * <pre>
 * BEGINNING  reads the head of the log and the last events before it, and delivers them. It is subscribed to the channel already,
 *            so messages that are published meanwhile wait in the inbox.
 * RIDING     takes the messages in the inbox. A trusted event at the next position is delivered; an earlier one is dropped; for a
 *            later one, and for a hint, the log is read up to its head. Since a lost message may have been the last one, it also
 *            polls the head when idle: after 1 s while subscribed, after 200 ms while not subscribed or if the last poll found
 *            events for which there was no message.
 * CLOSED     by close(); the delivery in progress is finished first.
 * </pre>
 *
 * After any failure of the log or of the receiver the position stays unchanged, and the log is read from there after a wait. The
 * first wait is 200 ms and each further one twice as long, up to 2 s, until a delivery succeeds. Only events that retention has
 * deleted meanwhile are skipped.
 */
final class TopicFeed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicFeed.class);
    private static final int AT_ONCE = 500;
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration AWAY = Duration.ofMillis(200);

    private static final Backoff BACKOFF = new Backoff(AWAY, Duration.ofSeconds(2));

    /** The wait after a hint without an event: forged hints cost the database at most ten reads per second. */
    private static final Duration FOOLED = Duration.ofMillis(100);

    /** Messages without a position: the read for the first of a burst has often found the events of the others. */
    private static final int HARMLESS_MISSES = 5;

    /** How often the last event is compared with the log, regardless of the channel's messages. */
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

    /** The last poll found events for which there was no message: the relay lags or is down. */
    private boolean behind;

    private int misses; // reads after a hint that found nothing, in a row
    private Duration wait = Duration.ZERO;
    private int failures; // in a row
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
                log.error("redis_feed_failed topic={} position={}", topic, position, e);
                restLonger();
            }
        }
    }

    private void restLonger() {
        failures++;
        rest(BACKOFF.exact(failures));
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
        log.warn(
                "redis_feed_failed topic={} position={} error=\"{}\"", topic, position, PeerText.clean(e.getMessage()));
        try {
            if (e.kind() == PostriderException.Kind.CONFLICT && position >= 0) {
                passOverWhatIsGone();
            }
        } catch (PostriderException again) {
            log.warn("redis_feed_failed topic={} error=\"{}\"", topic, PeerText.clean(again.getMessage()));
        }
        restLonger();
    }

    /** The feed was down for longer than the log's retention. The next event has a gap before it, which the receiver handles. */
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
            misses = fill() ? 0 : misses + 1; // a hint, or an event that was dropped because the inbox was full
            fooled = misses > (mail.hint() == Inbox.ANYWHERE ? HARMLESS_MISSES : 0);
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

    // ── events from the channel ─────────────────────────────────────────────────────────────────────────────────────

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
                handOver(next); // rate-limited: a client may replay old messages of another log
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
            failures = 0;
        }
    }

    // ── events from the log ─────────────────────────────────────────────────────────────────────────────────────────

    private void look() throws InterruptedException {
        lastLook = System.nanoTime();
        long head = events.head(topic);
        if (head < position) {
            compare();
        }
        behind = head > position && fill();
    }

    /** Delivers all events of the log after the position. Returns whether there were any. */
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

    /** Checks that the log still contains what was delivered; if not, goes back to the last common position. */
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
        log.warn("redis_feed_changed topic={} position={} head={} the log was replaced", topic, position, head);
        receiver.changed(common);
        trail.forgetAfter(common);
        position = common;
        inbox.nudge();
    }

    private boolean isThere() {
        List<LogEvent> last = events.read(topic, position - 1, 1);
        return !last.isEmpty() && !trail.contradicts(last.get(0));
    }

    /** The last position up to which the log matches what was delivered. The log may be truncated or trimmed while it is read. */
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
                thread.interrupt(); // the receiver blocks it
                thread.join(5_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
