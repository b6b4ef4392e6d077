package io.postrider.gateway;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.UnavailableException;
import io.postrider.admin.Listeners;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed that is a listener: a relay that passes all events of a topic to the rooms. So broadcasting has a name, a cursor and a lag
 * in the view {@code listeners}, and can be paused and resumed like every listener. After a restart it continues at its cursor.
 *
 * <p>A listener runs on one node at a time, so each name is for <em>one</em> gateway process: a second one with the same name would
 * stay silent. Several gateways need a name each, a {@link LogFeed}, or a relay to Redis. Retention waits for a gateway that does not
 * come back as it does for every listener, see {@link io.postrider.Options#withPatience}.
 */
public final class ListenerFeed implements Feed {
    private static final Logger logger = LoggerFactory.getLogger(ListenerFeed.class);
    private static final int REST_MILLIS = 200;
    private static final Duration BEGIN_TIMEOUT = Duration.ofSeconds(5);

    private final Postrider postrider;
    private final UnaryOperator<String> names;
    private final Map<String, Broadcast> topics = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * Adds its listeners to this node, which may be started before or afterwards.
     *
     * @param names the listener's name for a topic
     */
    public ListenerFeed(Postrider postrider, UnaryOperator<String> names) {
        this.postrider = postrider;
        this.names = names;
    }

    @Override
    public void follow(String topic, int recent, Receiver receiver) {
        Broadcast broadcast = new Broadcast(names.apply(topic), topic, receiver);
        postrider.add(Listener.relayBatch(broadcast.name, topic, broadcast::handle));
        topics.put(topic, broadcast);
        broadcast.thread = new Thread(() -> broadcast.begin(recent), "postrider-feed-" + topic);
        broadcast.thread.setDaemon(true);
        broadcast.thread.start();
    }

    @Override
    public long head(String topic) {
        return postrider.log().head(topic);
    }

    @Override
    public void close() {
        closed.countDown();
        topics.values().forEach(Broadcast::close);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** The listener of one topic. */
    private final class Broadcast {
        private static final int REMEMBERED = 1_000;

        private final String name;
        private final String topic;
        private final Receiver receiver;
        private final CountDownLatch begun = new CountDownLatch(1);
        private volatile Thread thread = Thread.currentThread();

        /** Guarded by this: the latest events that were passed on, by position. */
        private final Map<Long, UUID> passed = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, UUID> eldest) {
                return size() > REMEMBERED;
            }
        };

        Broadcast(String name, String topic, Receiver receiver) {
            this.name = name;
            this.topic = topic;
            this.receiver = receiver;
        }

        /** Tells the hub where the listener is. Until then {@link #handle} waits, so the cursor does not move meanwhile. */
        void begin(int recent) {
            while (!isClosed()) {
                try {
                    Optional<Listeners.Status> row = postrider.listeners().list().stream()
                            .filter(listener -> listener.name().equals(name))
                            .findFirst();
                    if (row.isPresent()) {
                        long cursor = row.get().position();
                        List<LogEvent> before = LogFeed.recent(postrider.log(), topic, recent).stream()
                                .filter(event -> event.position() <= cursor)
                                .toList();
                        receiver.begins(cursor, before);
                        begun.countDown();
                        return;
                    }
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException | Error e) {
                    logger.warn("feed_not_started topic={} error=\"{}\"", topic, e.toString());
                }
                rest();
            }
        }

        private void rest() {
            try {
                closed.await(REST_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void handle(List<LogEvent> events) throws InterruptedException {
            if (!begun.await(BEGIN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS) || isClosed()) {
                throw new UnavailableException(
                        Duration.ofMillis(100), "the gateway of listener " + name + " is starting or closing");
            }
            synchronized (this) {
                for (LogEvent event : events) {
                    UUID before = passed.get(event.position());
                    if (before != null && !before.equals(event.id())) {
                        passed.keySet().removeIf(position -> position >= event.position());
                        receiver.changed(event.position() - 1); // the log was restored, or lost its end in a failover
                    }
                    passed.put(event.position(), event.id());
                }
                receiver.events(events);
            }
        }

        /** A call of the handler that is running returns first: the receiver must not be called afterwards. */
        void close() {
            try {
                thread.join(10_000);
                synchronized (this) {
                    logger.debug("feed_closed topic={} listener={}", topic, name);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
