package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.admin.Log;
import io.postrider.admin.Subscription;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A feed that follows the log of a started node, with one thread per topic. */
public final class LogFeed implements Feed {
    private static final Logger logger = LoggerFactory.getLogger(LogFeed.class);
    /** 10,000 payloads of the maximum size are 2.5 GB, too much to load at startup. */
    private static final long LARGEST = 16 << 20;

    private static final int AT_ONCE = 1_000;
    private static final int REST_MILLIS = 500;

    private final Log log;
    private final Map<String, Subscription> follows = new ConcurrentHashMap<>();
    private final Map<String, Thread> beginning = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Takes {@code postrider.log()}. */
    public LogFeed(Log log) {
        this.log = log;
    }

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        Thread thread = new Thread(() -> begin(topic, recent, receiver), "postrider-feed-" + topic);
        thread.setDaemon(true);
        beginning.put(topic, thread);
        thread.start();
    }

    /** Retries until the database is available. */
    private void begin(String topic, int recent, Receiver receiver) {
        while (closed.getCount() > 0) {
            try {
                List<LogEvent> events = recent(log, topic, recent);
                long position = handRecent(topic, events, receiver);
                synchronized (this) {
                    if (closed.getCount() > 0) {
                        follows.put(topic, log.follow(topic, position, events, new Reading(receiver)));
                    }
                }
                return;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | Error e) {
                logger.warn("feed_not_started topic={} error=\"{}\"", topic, e.toString());
                rest();
            }
        }
    }

    private long handRecent(String topic, List<LogEvent> events, Receiver receiver) throws InterruptedException {
        long position = events.isEmpty()
                ? log.head(topic)
                : events.get(events.size() - 1).position();
        receiver.begins(position, events);
        return position;
    }

    /** About this many of a topic's latest events, fewer if they are large. Other kinds of feed start with these. May block. */
    public static List<LogEvent> recent(Log log, String topic, int most) {
        long head = log.head(topic);
        long at = Math.max(head - most, log.oldest(topic) - 1);
        ArrayDeque<LogEvent> events = new ArrayDeque<>();
        long size = 0;
        while (at < head) {
            List<LogEvent> read = log.read(topic, at, AT_ONCE);
            if (read.isEmpty()) {
                break;
            }
            events.addAll(read);
            size += read.stream().mapToLong(LogFeed::size).sum();
            while (size > LARGEST) {
                size -= size(events.removeFirst());
            }
            at = read.get(read.size() - 1).position();
        }
        return List.copyOf(events);
    }

    private static long size(LogEvent event) {
        return event.payload().length() + event.headers().length();
    }

    private void rest() {
        try {
            closed.await(REST_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long head(String topic) {
        return log.head(topic);
    }

    @Override
    public void close() {
        closed.countDown();
        beginning.values().forEach(LogFeed::join);
        synchronized (this) {
            follows.values().forEach(Subscription::close);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Reading(Receiver receiver) implements Log.Follower {
        @Override
        public void read(List<LogEvent> events) throws InterruptedException {
            receiver.events(events);
        }

        @Override
        public void changed(long head) {
            try {
                receiver.changed(head);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
