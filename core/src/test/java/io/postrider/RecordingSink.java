package io.postrider;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A sink in memory that says what it has, and that another publisher writes to as well. May be shared by several nodes. */
final class RecordingSink implements Sink {
    final List<Long> arrived = new CopyOnWriteArrayList<>();
    final List<PublishedMessage> published = new CopyOnWriteArrayList<>();
    final List<PublishedQuery> queries = new CopyOnWriteArrayList<>();
    volatile boolean away;
    volatile boolean keepsAll = true;

    /** Called with each batch before it has arrived. */
    volatile Consumer<List<LogEvent>> before = events -> {};

    private final Map<RelayEpoch, Map<Long, UUID>> held = new ConcurrentHashMap<>();

    @Override
    public String describe() {
        return "recording";
    }

    @Override
    public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
        before.accept(events);
        if (away) {
            return SendResult.unavailable(0, new IOException("away"));
        }
        events.forEach(event -> {
            arrived.add(event.position());
            held.computeIfAbsent(epoch, one -> new ConcurrentHashMap<>()).put(event.position(), event.id());
        });
        return SendResult.whole();
    }

    @Override
    public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws IOException {
        if (away) {
            throw new IOException("away");
        }
        Map<Long, UUID> later = new HashMap<>(held.getOrDefault(epoch, Map.of()));
        later.keySet().removeIf(position -> position <= after);
        return later;
    }

    @Override
    public boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages) throws IOException {
        queries.add(query);
        if (away) {
            throw new IOException("away");
        }
        published.forEach(messages);
        return keepsAll;
    }

    @Override
    public String test() {
        return "recording";
    }

    /** Takes a message of another publisher, on a lane. */
    void publish(String lane, String body) {
        published.add(new PublishedMessage(lane, Map.of(), body));
    }

    Listener relay(String name) {
        return Listener.relay(name, name, this);
    }
}
