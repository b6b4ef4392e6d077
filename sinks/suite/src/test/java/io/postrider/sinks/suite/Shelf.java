package io.postrider.sinks.suite;

import io.postrider.LogEvent;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A place in memory, with a sink that does everything right and can be told to do one thing wrong. */
final class Shelf implements Place {
    /** What the sink does wrong. */
    enum Flaw {
        NONE,
        LOSES_THE_LAST,
        REPEATS,
        TURNS_ROUND,
        BLAMES_THE_EVENT,
        BLAMES_ITSELF,
        SAYS_TAKEN_WHILE_AWAY,
        FORGETS_WHAT_IT_HOLDS,
        MIXES_COURSES,
        TESTS_WITH_AN_EVENT,
        SHOWS_ITS_SECRET,
        TESTS_NOTHING
    }

    private static final String POISON = "\"poison\"";
    private static final String SECRET = UUID.randomUUID().toString();

    private final Flaw flaw;
    private final List<Kept> kept = new ArrayList<>();
    private boolean away;

    private record Kept(RelayEpoch epoch, LogEvent event) {}

    Shelf(Flaw flaw) {
        this.flaw = flaw;
    }

    @Override
    public Sink open() {
        return new ShelfSink();
    }

    @Override
    public synchronized List<Arrived> arrived() {
        return kept.stream()
                .map(Kept::event)
                .map(event -> new Arrived(
                        event.topic(), event.position(), event.id(), event.type(), event.key(), event.payload()))
                .toList();
    }

    @Override
    public synchronized void goAway() {
        away = true;
    }

    @Override
    public synchronized void comeBack() {
        away = false;
    }

    @Override
    public boolean tells() {
        return true;
    }

    @Override
    public String refusedPayload() {
        return POISON;
    }

    @Override
    public List<String> secrets() {
        return List.of(SECRET);
    }

    private synchronized SendResult take(RelayEpoch epoch, List<LogEvent> events) {
        if (away) {
            IOException error = new IOException("the shelf is away" + (flaw == Flaw.SHOWS_ITS_SECRET ? SECRET : ""));
            return switch (flaw) {
                case BLAMES_THE_EVENT -> SendResult.refused(0, error);
                case SAYS_TAKEN_WHILE_AWAY -> SendResult.whole();
                default -> SendResult.unavailable(0, error);
            };
        }
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).payload().equals(POISON)) {
                events.subList(0, i).forEach(event -> kept.add(new Kept(epoch, event)));
                IOException error = new IOException("not on this shelf");
                return flaw == Flaw.BLAMES_ITSELF ? SendResult.unavailable(i, error) : SendResult.refused(i, error);
            }
        }
        List<LogEvent> taken = new ArrayList<>(events);
        if (flaw == Flaw.LOSES_THE_LAST && events.size() > 1) {
            taken.remove(taken.size() - 1);
        } else if (flaw == Flaw.REPEATS) {
            taken.add(taken.get(0));
        } else if (flaw == Flaw.TURNS_ROUND) {
            java.util.Collections.reverse(taken);
        }
        taken.forEach(event -> kept.add(new Kept(epoch, event)));
        return SendResult.whole();
    }

    private synchronized Map<Long, UUID> held(RelayEpoch epoch, long after) {
        Map<Long, UUID> held = new HashMap<>();
        for (Kept one : kept) {
            boolean ofCourse = flaw == Flaw.MIXES_COURSES || one.epoch().equals(epoch);
            if (flaw != Flaw.FORGETS_WHAT_IT_HOLDS && ofCourse && one.event().position() > after) {
                held.put(one.event().position(), one.event().id());
            }
        }
        return held;
    }

    private synchronized String tested() throws IOException {
        if (away && flaw != Flaw.TESTS_NOTHING) {
            throw new IOException("the shelf is away");
        }
        if (flaw == Flaw.TESTS_WITH_AN_EVENT) {
            kept.add(new Kept(
                    new RelayEpoch("test", "test", 1),
                    new LogEvent(
                            "test",
                            1,
                            UUID.randomUUID(),
                            "test",
                            "{}",
                            null,
                            null,
                            null,
                            null,
                            null,
                            "{}",
                            java.time.Instant.EPOCH)));
        }
        return "a shelf in memory";
    }

    private final class ShelfSink implements Sink {
        @Override
        public String describe() {
            return "shelf";
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
            return take(epoch, events);
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) {
            return held(epoch, after);
        }

        @Override
        public String test() throws IOException {
            return tested();
        }
    }
}
