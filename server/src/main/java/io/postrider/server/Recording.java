package io.postrider.server;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Watch;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Records topics in the event log: those that the settings name, or every topic as it appears. A topic to which this node emits
 * is noticed at once, others within a second. Each recorded topic is a listener with a thread, so their number is limited.
 */
final class Recording implements SmartLifecycle, Watch {
    private static final Logger log = LoggerFactory.getLogger(Recording.class);
    private static final int LOOK_EVERY_MILLIS = 1_000;

    private final BlockingQueue<String> noticed = new LinkedBlockingQueue<>();
    private final Set<String> recorded = new HashSet<>();
    private final Map<String, String> delayed = new HashMap<>();
    private final @Nullable Set<String> named;
    private final Set<String> first;
    private final int limit;
    private boolean full;
    private @Nullable Thread thread;
    private @Nullable Postrider postrider;
    private volatile boolean running;

    /**
     * Records these topics.
     *
     * @param named null: every topic
     * @param first topics that the gateway serves; recorded before any other, so that browsers find the events that they missed
     * @param limit maximum number of topics that are recorded if none are named
     */
    Recording(@Nullable Set<String> named, Set<String> first, int limit) {
        this.named = named;
        this.first = first;
        this.limit = limit;
    }

    /** Sets the node. Not a constructor argument, because the node needs its watches before it is created. */
    void of(Postrider node) {
        this.postrider = node;
    }

    @Override
    public void emitted(String topic, int events) {
        if (named == null && running && noticed.size() < limit && !topic.startsWith("queue:")) {
            noticed.add(topic);
        }
    }

    @Override
    public void start() {
        if (postrider == null) {
            return;
        }
        running = true;
        if (named != null) {
            named.forEach(this::record);
            return;
        }
        first.forEach(this::record);
        Thread looking = new Thread(this::look, "postrider-recording");
        looking.setDaemon(true);
        looking.start();
        thread = looking;
    }

    private void look() {
        while (running) {
            try {
                node().eventLog().topics(limit + 1).forEach(this::tryToRecord);
                @Nullable String topic = noticed.poll(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                while (topic != null) {
                    tryToRecord(topic);
                    topic = noticed.poll();
                }
            } catch (PostriderException e) {
                log.warn("recording_delayed error=\"{}\"", e.getMessage());
                rest();
            } catch (RuntimeException | Error e) {
                log.error("recording_delayed", e);
                rest();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** A topic that cannot be recorded, temporarily or permanently, does not affect the others. Each poll tries it again. */
    private void tryToRecord(String topic) {
        try {
            record(topic);
            delayed.remove(topic);
        } catch (PostriderException e) {
            String error = String.valueOf(e.getMessage());
            if (!error.equals(delayed.put(topic, error))) {
                log.warn("recording_delayed topic={} error=\"{}\"", topic, error);
            }
        }
    }

    private void record(String topic) {
        if (recorded.contains(topic)) {
            return;
        }
        if (named == null && recorded.size() >= limit) {
            if (!full) {
                full = true;
                log.warn(
                        "recording_full limit={} topic={} this topic and further ones are not in the event log; raise"
                                + " postrider.event-log.topic-limit, or name the topics to record in"
                                + " postrider.event-log.topics",
                        limit,
                        topic);
            }
            return;
        }
        node().add(node().eventLog().listener(topic));
        recorded.add(topic);
    }

    private Postrider node() {
        return Objects.requireNonNull(postrider);
    }

    private void rest() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            running = false;
        }
    }

    @Override
    public void stop() {
        running = false;
        Thread looking = thread;
        if (looking != null) {
            looking.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts after the node, and stops before it. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE - 4_000;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }
}
