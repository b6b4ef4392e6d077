package io.postrider.gateway;

import io.postrider.LogEvent;
import io.postrider.gateway.Subscriber.State;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings those who come with a position up to where the topic is. Each step looks at the cursor anew and takes the nearest way:
 *
 * <pre>
 * cursor = reached          live
 * cursor &gt; reached          a quicker gateway has served it, or the log is not the one it was: the log's head tells which
 * all after it in memory    a slice of that, as far as the outbox has room
 * older                     a page of the read model, as far as that has come; once it is within memory, from there
 * older than what is kept   a snapshot is needed; goes on live. So too where nothing is kept at all: it would wait in vain
 * </pre>
 *
 * No step leaves out or repeats a position, because each moves the cursor over exactly the positions that it has looked at.
 * What blocks is done by a reader thread, which brings its answer back to the hub's. All else here is the hub thread's.
 */
final class CatchUp {
    private static final Logger log = LoggerFactory.getLogger(CatchUp.class);
    private static final int SLICE = 2_000;
    private static final Duration A_MOMENT = Duration.ofMillis(100);

    private final String topic;
    private final Hub hub;
    private final Desk desk;
    private final History history;
    private final Feed feed;

    /** Counts the logs that there were: an answer about the last one is worth nothing. */
    private int era;

    CatchUp(String topic, Hub hub, Desk desk, History history, Feed feed) {
        this.topic = topic;
        this.hub = hub;
        this.desk = desk;
        this.history = history;
        this.feed = feed;
    }

    void begin(Subscriber subscriber) {
        subscriber.patienceEnds = System.nanoTime() + hub.options().catchUp().toNanos();
        goOn(subscriber);
    }

    void goOn(Subscriber subscriber) {
        if (subscriber.state != State.CATCHING || subscriber.asking || !emptyPage(subscriber)) {
            return;
        }
        if (subscriber.astray) {
            ask(subscriber, () -> history.oldest(topic), oldest -> snapshot(subscriber, oldest));
            return;
        }
        long reached = desk.recent().reached();
        if (subscriber.cursor == reached) {
            desk.goLive(subscriber);
        } else if (subscriber.cursor > reached) {
            askHead(subscriber);
        } else if (desk.recent().covers(subscriber.cursor)) {
            fromMemory(subscriber);
        } else if (!awaitsRoom(subscriber)) {
            fromHistory(subscriber);
        }
    }

    /** Whether it has to wait until its outbox is nearly empty; {@link Desk#refill} comes then. */
    private static boolean awaitsRoom(Subscriber subscriber) {
        return !subscriber.outbox().hasRoom() && subscriber.outbox().awaitRoom();
    }

    // ── from memory ─────────────────────────────────────────────────────────────────────────────────────────────────

    private void fromMemory(Subscriber subscriber) {
        desk.welcome(subscriber);
        int sent = 0;
        long end = Math.min(desk.recent().reached(), subscriber.cursor + SLICE);
        while (subscriber.cursor < end) {
            Published published = desk.recent().at(subscriber.cursor + 1);
            if (subscriber.hears(published)) {
                if (awaitsRoom(subscriber) || !fits(subscriber, published.frame(subscriber.form()))) {
                    hub.watch().replayedFromMemory(topic, sent);
                    return;
                }
                sent++;
            }
            subscriber.cursor++;
        }
        hub.watch().replayedFromMemory(topic, sent);
        hub.tell(subscriber, () -> goOn(subscriber)); // in turn, so that one who lacks much does not hold up the others
    }

    /** A frame that is larger than the other half of the outbox waits until it is nearly empty. */
    private boolean fits(Subscriber subscriber, Frame frame) {
        if (subscriber.offer(frame)) {
            return true;
        }
        return !subscriber.outbox().awaitRoom() && subscriber.offer(frame);
    }

    // ── from the read model ─────────────────────────────────────────────────────────────────────────────────────────

    /** What a reader found: a page, or how old the oldest is, if what was asked for is older; or nothing yet. */
    private record Answer(List<LogEvent> events, long to, long oldest) {
        static final Answer NOTHING_YET = new Answer(List.of(), 0, 0);

        boolean isNothing() {
            return to == 0 && oldest == 0;
        }
    }

    private void fromHistory(Subscriber subscriber) {
        long after = subscriber.cursor;
        long upto = desk.recent().reached();
        Identity identity = subscriber.identity;
        ask(subscriber, () -> read(identity, subscriber, after, upto), answer -> take(subscriber, after, answer));
    }

    /**
     * By a reader. The oldest is asked for after the page, because what was there may be dropped while it is read; and before it,
     * because a hole may be filled in that time, by a dead letter that is replayed or by a rebuild, and the page lacks it. How far
     * it has come is asked before that and after: a hole that opens later is beyond the first answer, and a rebuild goes back with
     * what is reached before it goes back with the oldest.
     */
    private Answer read(Identity identity, Subscriber subscriber, long after, long most) throws Exception {
        long reached = history.reached(topic);
        long before = history.oldest(topic);
        long upto = Math.min(most, Math.min(reached, history.reached(topic)));
        if (upto <= after) {
            return history.keeps(topic) ? Answer.NOTHING_YET : new Answer(List.of(), 0, most + 1);
        }
        History.Page page = history.page(identity, subscriber.rooms(), stretch(after, upto));
        long oldest = Math.max(before, history.oldest(topic));
        if (after + 1 < oldest) {
            return new Answer(List.of(), 0, oldest);
        }
        if (page.to() <= after || page.to() > upto) {
            throw new IllegalStateException(
                    "the read model gave a page to " + page.to() + ", asked for " + after + " to " + upto);
        }
        return new Answer(page.events(), page.to(), 0);
    }

    /** No more than what the outbox has room for now, so that who takes little has little waiting. */
    private History.Stretch stretch(long after, long upto) {
        GatewayOptions options = hub.options();
        return new History.Stretch(topic, after, upto, options.page(), options.outboxBytes() / 2);
    }

    private void take(Subscriber subscriber, long after, Answer answer) {
        if (answer.isNothing()) {
            later(subscriber, "the read model has not come so far");
        } else if (answer.oldest() > 0) {
            snapshot(subscriber, answer.oldest());
        } else {
            refuseDisorder(answer, after);
            subscriber.patienceEnds =
                    System.nanoTime() + hub.options().catchUp().toNanos();
            desk.welcome(subscriber);
            subscriber.page.addAll(answer.events());
            subscriber.pageEnd = answer.to();
            goOn(subscriber);
        }
    }

    private static void refuseDisorder(Answer answer, long after) {
        long last = after;
        for (LogEvent event : answer.events()) {
            if (event.position() <= last || event.position() > answer.to()) {
                throw new IllegalStateException("the read model gave position " + event.position() + " after " + last
                        + " up to " + answer.to());
            }
            last = event.position();
        }
    }

    /** Puts the page into the outbox, as far as it goes; true if all of it went. */
    private boolean emptyPage(Subscriber subscriber) {
        int sent = 0;
        while (!subscriber.page.isEmpty()) {
            LogEvent event = subscriber.page.element();
            if (!subscriber.hears(event)) {
                log.error("history_gave_foreign_event topic={} position={} it is left out", topic, event.position());
            } else if (awaitsRoom(subscriber) || !fits(subscriber, Frames.event(subscriber.form(), event))) {
                hub.watch().replayedFromHistory(topic, sent);
                return false;
            } else {
                sent++;
            }
            subscriber.cursor = event.position();
            subscriber.page.remove();
        }
        if (sent > 0) {
            hub.watch().replayedFromHistory(topic, sent);
        }
        subscriber.cursor = Math.max(subscriber.cursor, subscriber.pageEnd);
        return true;
    }

    // ── nothing to go on from ───────────────────────────────────────────────────────────────────────────────────────

    /** Ahead of us: of the feed, or of a log that was cut back. */
    private void askHead(Subscriber subscriber) {
        record Ends(long head, long oldest) {}
        ask(subscriber, () -> new Ends(feed.head(topic), history.oldest(topic)), ends -> {
            if (subscriber.cursor > Math.max(ends.head(), desk.reached())) {
                snapshot(subscriber, ends.oldest());
            } else if (subscriber.cursor > desk.reached()) {
                desk.goLive(subscriber); // and what it has already is passed over as it comes
            } else {
                goOn(subscriber);
            }
        });
    }

    private void snapshot(Subscriber subscriber, long oldest) {
        hub.watch().snapshotNeeded(topic);
        subscriber.page.clear();
        subscriber.pageEnd = 0;
        subscriber.astray = false;
        subscriber.cursor = desk.recent().reached();
        subscriber.welcomed = true;
        subscriber.outbox().begin(subscriber.cursor);
        if (subscriber.offer(Frames.snapshot(subscriber.form(), oldest, subscriber.cursor))) {
            desk.goLive(subscriber);
        } else {
            hub.end(subscriber, Cut.SLOW);
        }
    }

    /** Another log. What readers bring about the last one is dropped, and then they go on. */
    void changed(List<Subscriber> catching) {
        era++;
        catching.forEach(subscriber -> {
            subscriber.patienceEnds =
                    System.nanoTime() + hub.options().catchUp().toNanos();
            hub.tell(subscriber, () -> goOn(subscriber));
        });
    }

    // ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private interface Question<T> {
        T ask() throws Exception;
    }

    private interface Use<T> {
        void use(T answer);
    }

    private <T> void ask(Subscriber subscriber, Question<T> question, Use<T> use) {
        int asked = era;
        subscriber.asking = true;
        hub.readers().execute(() -> {
            T answer = answer(question);
            hub.tell(subscriber, () -> {
                subscriber.asking = false;
                if (subscriber.state != State.CATCHING) {
                    return;
                }
                if (asked != era) {
                    goOn(subscriber);
                } else if (answer == null) {
                    later(subscriber, "the read model cannot be asked");
                } else {
                    use.use(answer);
                }
            });
        });
    }

    private <T> @Nullable T answer(Question<T> question) {
        try {
            return question.ask();
        } catch (Exception | Error e) { // without an answer it would wait for ever
            log.warn("history_failed topic={} error=\"{}\"", topic, e.toString());
            return null;
        }
    }

    private void later(Subscriber subscriber, String why) {
        if (System.nanoTime() - subscriber.patienceEnds > 0) {
            log.warn("catch_up_given_up topic={} position={} {}", topic, subscriber.cursor, why);
            hub.end(subscriber, Cut.BEHIND);
        } else {
            hub.later(A_MOMENT, () -> hub.tell(subscriber, () -> goOn(subscriber)));
        }
    }
}
