package io.postrider.redis;

import io.postrider.LogEvent;
import io.postrider.gateway.Feed;
import io.postrider.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The hub's end of a feed: writes down what it gets, and what it should never have got. */
final class Recorder implements Feed.Receiver {
    private final List<LogEvent> events = new ArrayList<>();
    private final List<Long> changes = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private long begun = -1;
    private long position;

    @Override
    public synchronized void begins(long at, List<LogEvent> recent) {
        if (begun >= 0) {
            faults.add("begins twice");
        }
        begun = at;
        position = at - recent.size();
        take(recent);
    }

    @Override
    public synchronized void events(List<LogEvent> next) {
        take(next);
    }

    @Override
    public synchronized void changed(long head) {
        changes.add(head);
        position = head;
    }

    private void take(List<LogEvent> next) {
        for (LogEvent event : next) {
            if (event.position() != position + 1) {
                faults.add("position " + event.position() + " after " + position);
            }
            position = event.position();
            events.add(event);
        }
    }

    synchronized List<LogEvent> all() {
        return List.copyOf(events);
    }

    synchronized List<String> payloads() {
        return events.stream().map(LogEvent::payload).toList();
    }

    synchronized List<Long> changes() {
        return List.copyOf(changes);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized long begun() {
        return begun;
    }

    synchronized long position() {
        return position;
    }

    Recorder awaitBegun() {
        Await.until("the feed has begun", Duration.ofSeconds(30), () -> begun() >= 0);
        return this;
    }

    void awaitPosition(long expected) {
        Await.until("the feed is at " + expected, Duration.ofSeconds(60), () -> position() >= expected);
    }
}
