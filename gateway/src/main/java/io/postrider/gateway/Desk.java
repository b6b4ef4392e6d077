package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.gateway.Subscriber.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One topic at the hub: what was recent, and who is in which room. Hub thread only. */
final class Desk {
    private static final Logger log = LoggerFactory.getLogger(Desk.class);

    private final String topic;
    private final Hub hub;
    private final CatchUp catchUp;
    private final Map<Room, Set<Subscriber>> rooms = new HashMap<>();
    private final Set<Subscriber> all = new LinkedHashSet<>();
    private final List<Subscriber> full = new ArrayList<>();
    private @Nullable Recent recent;
    private volatile long told = -1;

    Desk(String topic, Hub hub, History history, Feed feed) {
        this.topic = topic;
        this.hub = hub;
        this.catchUp = new CatchUp(topic, hub, this, history, feed);
    }

    /** How far the topic is here; -1 before the feed has begun. */
    long reached() {
        return recent == null ? -1 : recent.reached();
    }

    /** The same for other threads, a moment later. */
    long toldReached() {
        return told;
    }

    /** What is in memory. Nobody is let in before there is. */
    Recent recent() {
        if (recent == null) {
            throw new IllegalStateException("the feed of " + topic + " has not begun");
        }
        return recent;
    }

    Set<Subscriber> all() {
        return all;
    }

    // ── what the feed says ──────────────────────────────────────────────────────────────────────────────────────────

    void begins(long position, List<LogEvent> before) {
        if (recent != null) {
            log.error("feed_begins_again topic={} position={} reached={}", topic, position, recent.reached());
            restart(position);
            return;
        }
        long from = before.isEmpty() ? position : before.get(0).position() - 1;
        Recent begun =
                new Recent(from, hub.options().recentEvents(), hub.options().recentBytes());
        before.forEach(event -> begun.add(new Published(event)));
        if (begun.reached() != position) {
            begun.restart(position);
        }
        recent = begun;
        told = position;
    }

    void events(List<LogEvent> events) {
        for (LogEvent event : events) {
            if (event.position() > recent().reached() + 1) {
                log.error("feed_has_a_hole topic={} reached={} came={}", topic, reached(), event.position());
                restart(event.position() - 1);
            }
            if (event.position() > recent().reached()) {
                publish(new Published(event));
            }
        }
        told = reached();
    }

    /** Whatever was missed, clients get from the read model when they come back. */
    private void restart(long position) {
        List.copyOf(all).forEach(subscriber -> hub.end(subscriber, Cut.CLOSING));
        recent().restart(position);
    }

    /** The log is shorter than it was. Who has seen more has seen what is not there, and must look at the whole again. */
    void changed(long head) {
        List<Subscriber> catching = new ArrayList<>();
        for (Subscriber subscriber : all) {
            subscriber.astray |= position(subscriber) > head;
            if (subscriber.astray) {
                leaveRooms(subscriber);
                subscriber.state = State.CATCHING;
            }
            if (subscriber.state == State.CATCHING) {
                subscriber.page.clear();
                subscriber.pageEnd = 0;
                catching.add(subscriber);
            }
        }
        if (head < recent().reached()) {
            recent().cutBack(head);
        }
        told = reached();
        catchUp.changed(catching);
    }

    private void publish(Published published) {
        recent().add(published);
        int count = deliver(published.project(), published) + deliver(published.user(), published);
        hub.watch().published(topic, count);
        if (!full.isEmpty()) {
            full.forEach(subscriber -> {
                hub.watch().overflowed(topic, subscriber.outbox().bytes());
                hub.end(subscriber, Cut.SLOW);
            });
            full.clear();
        }
    }

    /** The cursor tells who has it already, from the other of its rooms or from a quicker gateway. */
    private int deliver(@Nullable Room room, Published published) {
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

    // ── who comes and goes ──────────────────────────────────────────────────────────────────────────────────────────

    void join(Subscriber subscriber) {
        enter(subscriber);
        catchUp.begin(subscriber);
    }

    /** Takes its place, and may be cut with it. */
    void enter(Subscriber subscriber) {
        all.add(subscriber);
        Long asked = subscriber.asked();
        subscriber.cursor = asked == null ? recent().reached() : asked;
        subscriber.outbox().begin(subscriber.cursor);
    }

    void refill(Subscriber subscriber) {
        catchUp.goOn(subscriber);
    }

    /** It has all that has happened: from now on it gets events as they come. */
    void goLive(Subscriber subscriber) {
        subscriber.state = State.LIVE;
        welcome(subscriber);
        subscriber
                .rooms()
                .forEach(room ->
                        rooms.computeIfAbsent(room, r -> new LinkedHashSet<>()).add(subscriber));
    }

    /** The first frame: the connection stands, and this is where it goes on from, even if nothing ever happens. */
    void welcome(Subscriber subscriber) {
        if (!subscriber.welcomed) {
            subscriber.welcomed = true;
            subscriber.outbox().begin(subscriber.cursor);
            subscriber.offer(Frames.position(subscriber.form(), subscriber.cursor));
        }
    }

    /** Where somebody goes on from who has got everything that was put into its outbox. */
    long position(Subscriber subscriber) {
        return subscriber.state == State.LIVE ? Math.max(subscriber.cursor, reached()) : subscriber.cursor;
    }

    void leave(Subscriber subscriber) {
        leaveRooms(subscriber);
        subscriber.page.clear();
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
