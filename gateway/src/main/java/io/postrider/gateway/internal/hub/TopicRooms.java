package io.postrider.gateway.internal.hub;

import io.postrider.LogEvent;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Feed;
import io.postrider.gateway.History;
import io.postrider.gateway.Room;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.hub.Subscriber.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One topic at the hub: its recent events and the subscribers of each room. Hub thread only. */
final class TopicRooms {
    private static final Logger log = LoggerFactory.getLogger(TopicRooms.class);

    private final String topic;
    private final HubCore hub;
    private final CatchUp catchUp;
    private final Map<Room, Set<Subscriber>> rooms = new HashMap<>();
    private final Set<Subscriber> all = new LinkedHashSet<>();
    private final List<Subscriber> full = new ArrayList<>();
    private @Nullable RecentEvents recent;
    private volatile long told = -1;

    TopicRooms(String topic, HubCore hub, History history, Feed feed) {
        this.topic = topic;
        this.hub = hub;
        this.catchUp = new CatchUp(topic, hub, this, history, feed);
    }

    /** The position that the topic has reached; -1 before the feed has started. */
    long reached() {
        return recent == null ? -1 : recent.reached();
    }

    /** The same for other threads; it may lag a moment behind. */
    long toldReached() {
        return told;
    }

    /** The recent events. Connections are refused until the feed has started. */
    RecentEvents recent() {
        if (recent == null) {
            throw new IllegalStateException("the feed of " + topic + " has not started");
        }
        return recent;
    }

    Set<Subscriber> all() {
        return all;
    }

    // ── calls of the feed ──────────────────────────────────────────────────────────────────────────────────────────

    void begins(long position, List<LogEvent> before) {
        if (recent != null) {
            log.error("feed_restarted topic={} position={} reached={}", topic, position, recent.reached());
            restart(position);
            return;
        }
        long from = before.isEmpty() ? position : before.get(0).position() - 1;
        RecentEvents begun = new RecentEvents(
                from, hub.options().recentEvents(), hub.options().recentBytes());
        before.forEach(event -> begun.add(published(event)));
        if (begun.reached() != position) {
            begun.restart(position);
        }
        recent = begun;
        told = position;
    }

    void events(List<LogEvent> events) {
        for (LogEvent event : events) {
            if (event.position() > recent().reached() + 1) {
                log.error("feed_gap topic={} reached={} received={}", topic, reached(), event.position());
                restart(event.position() - 1);
            }
            if (event.position() > recent().reached()) {
                publish(published(event));
            }
        }
        told = reached();
    }

    private PublishedEvent published(LogEvent event) {
        return new PublishedEvent(event, hub.options().format());
    }

    /** Clients get the missed events from the read model when they reconnect. */
    private void restart(long position) {
        List.copyOf(all).forEach(subscriber -> hub.end(subscriber, DisconnectReason.CLOSING));
        recent().restart(position);
    }

    /** The log has become shorter. Subscribers beyond its head have seen events that no longer exist and need a snapshot. */
    void changed(long head) {
        List<Subscriber> catching = new ArrayList<>();
        for (Subscriber subscriber : all) {
            subscriber.astray |= position(subscriber) > head;
            if (subscriber.astray) {
                leaveRooms(subscriber);
                subscriber.state = State.CATCHING;
            }
            if (subscriber.state == State.CATCHING) {
                subscriber.dropPage();
                catching.add(subscriber);
            }
        }
        if (head < recent().reached()) {
            recent().cutBack(head);
        }
        told = reached();
        catchUp.changed(catching);
    }

    private void publish(PublishedEvent published) {
        recent().add(published);
        int count = deliver(published.project(), published) + deliver(published.user(), published);
        hub.watch().published(topic, count);
        if (!full.isEmpty()) {
            full.forEach(subscriber -> {
                hub.watch().overflowed(topic, subscriber.outbox().bytes());
                hub.end(subscriber, DisconnectReason.SLOW);
            });
            full.clear();
        }
    }

    /** Skips subscribers that have the event already, from their other room or from a faster gateway. */
    private int deliver(@Nullable Room room, PublishedEvent published) {
        Set<Subscriber> present = room == null ? null : rooms.get(room);
        if (present == null) {
            return 0;
        }
        int count = 0;
        for (Subscriber subscriber : present) {
            if (subscriber.cursor < published.position() && subscriber.identity.mayRead(published.event())) {
                subscriber.cursor = published.position();
                count++;
                if (!subscriber.offer(published.frame(subscriber.form()))) {
                    full.add(subscriber);
                }
            }
        }
        return count;
    }

    // ── joining and leaving ──────────────────────────────────────────────────────────────────────────────────────────

    void join(Subscriber subscriber) {
        enter(subscriber);
        catchUp.begin(subscriber);
    }

    /** Registers it, so that it can be closed. */
    void enter(Subscriber subscriber) {
        all.add(subscriber);
        Long asked = subscriber.asked();
        subscriber.cursor = asked == null ? recent().reached() : asked;
        subscriber.outbox().begin(subscriber.cursor);
    }

    void refill(Subscriber subscriber) {
        catchUp.goOn(subscriber);
    }

    /** It has caught up and gets new events from now on. */
    void goLive(Subscriber subscriber) {
        subscriber.state = State.LIVE;
        welcome(subscriber);
        subscriber
                .rooms()
                .forEach(room ->
                        rooms.computeIfAbsent(room, r -> new LinkedHashSet<>()).add(subscriber));
    }

    /** Sends the first frame, which confirms the connection and carries the resume position. */
    void welcome(Subscriber subscriber) {
        if (!subscriber.welcomed) {
            subscriber.welcomed = true;
            subscriber.outbox().begin(subscriber.cursor);
            subscriber.offer(FrameEncoder.position(subscriber.form(), subscriber.cursor));
        }
    }

    /** The resume position of a subscriber that has received everything in its outbox. */
    long position(Subscriber subscriber) {
        return subscriber.state == State.LIVE ? Math.max(subscriber.cursor, reached()) : subscriber.cursor;
    }

    void leave(Subscriber subscriber) {
        leaveRooms(subscriber);
        catchUp.leave(subscriber);
        all.remove(subscriber);
    }

    private void leaveRooms(Subscriber subscriber) {
        for (Room room : subscriber.rooms()) {
            Set<Subscriber> present = rooms.get(room);
            if (present != null && present.remove(subscriber) && present.isEmpty()) {
                rooms.remove(room);
            }
        }
    }
}
