package io.postrider.gateway.internal.hub;

import io.postrider.LogEvent;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Feed;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.History;
import io.postrider.gateway.Identity;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import io.postrider.gateway.internal.hub.Subscriber.State;
import io.postrider.gateway.internal.limits.HistoryMemory;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a subscriber that resumes at a position the events it has missed. Each step compares its cursor with the topic:
 *
 * <pre>
 * cursor = reached          live
 * cursor &gt; reached          a faster gateway served it, or the log was replaced: the head of the log decides which
 * the rest is in memory     a slice of the recent events, as far as the outbox has room
 * older                     a page of the read model; from memory again as soon as the cursor is covered by it
 * older than retention      a snapshot frame, then live; the same if the read model does not keep the topic
 * </pre>
 *
 * No step skips or repeats a position, because it moves the cursor over exactly the positions that it has read. Blocking reads
 * run on a reader thread, which returns the answer to the hub thread. Everything else is hub thread only.
 */
final class CatchUp {
    private static final Logger log = LoggerFactory.getLogger(CatchUp.class);
    private static final int SLICE = 2_000;

    /** Estimated number of characters of an event around its payload and headers. */
    private static final int AROUND = 500;

    private static final Duration A_MOMENT = Duration.ofMillis(100);

    private final String topic;
    private final HubCore hub;
    private final TopicRooms topicRooms;
    private final History history;
    private final Feed feed;

    /** Incremented when the log is replaced; answers about an earlier log are dropped. */
    private int era;

    CatchUp(String topic, HubCore hub, TopicRooms topicRooms, History history, Feed feed) {
        this.topic = topic;
        this.hub = hub;
        this.topicRooms = topicRooms;
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
        long reached = topicRooms.recent().reached();
        if (subscriber.cursor == reached) {
            topicRooms.goLive(subscriber);
        } else if (subscriber.cursor > reached) {
            askHead(subscriber);
        } else if (topicRooms.recent().covers(subscriber.cursor)) {
            fromMemory(subscriber);
        } else if (!awaitsRoom(subscriber)) {
            fromHistory(subscriber);
        }
    }

    /** Whether it has to wait until its outbox is nearly empty; {@link TopicRooms#refill} comes then. */
    private static boolean awaitsRoom(Subscriber subscriber) {
        return !subscriber.outbox().hasRoom() && subscriber.outbox().awaitRoom();
    }

    // ── from memory ─────────────────────────────────────────────────────────────────────────────────────────────────

    private void fromMemory(Subscriber subscriber) {
        topicRooms.welcome(subscriber);
        int sent = 0;
        long end = Math.min(topicRooms.recent().reached(), subscriber.cursor + SLICE);
        while (subscriber.cursor < end) {
            PublishedEvent published = topicRooms.recent().at(subscriber.cursor + 1);
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
        hub.tell(
                subscriber,
                () -> goOn(subscriber)); // queued again, so that one long catch-up does not delay the others
    }

    /** A frame larger than half of the outbox waits until the outbox is nearly empty. */
    private boolean fits(Subscriber subscriber, EncodedFrame frame) {
        if (subscriber.offer(frame)) {
            return true;
        }
        return !subscriber.outbox().awaitRoom() && subscriber.offer(frame);
    }

    // ── from the read model ─────────────────────────────────────────────────────────────────────────────────────────

    /** The result of a read: a page, or the oldest position if the cursor is older, or nothing yet. */
    private record Answer(List<LogEvent> events, long to, long oldest, long held) {
        static final Answer NOTHING_YET = new Answer(List.of(), 0, 0);
        static final Answer NO_MEMORY = new Answer(List.of(), 0, -1);

        Answer(List<LogEvent> events, long to, long oldest) {
            this(events, to, oldest, 0);
        }

        boolean isNothing() {
            return to == 0 && oldest == 0;
        }
    }

    private void fromHistory(Subscriber subscriber) {
        long after = subscriber.cursor;
        long upto = topicRooms.recent().reached();
        Identity identity = subscriber.identity;
        ask(subscriber, () -> readCounted(identity, subscriber, after, upto), new Use<>() {
            @Override
            public void use(Answer answer) {
                subscriber.pageHeld = answer.held();
                take(subscriber, after, answer);
            }

            @Override
            public void drop(Answer answer) {
                hub.historyMemory().hold(subscriber.owner, -answer.held());
            }
        });
    }

    /** Reserves memory for the largest page, and keeps the part that the page needs. */
    private Answer readCounted(Identity identity, Subscriber subscriber, long after, long upto) throws Exception {
        HistoryMemory memory = hub.historyMemory();
        long reserved = hub.options().outboxBytes();
        if (!memory.tryHold(subscriber.owner, reserved)) {
            return Answer.NO_MEMORY;
        }
        long kept = 0;
        try {
            Answer answer = read(identity, subscriber, after, upto);
            for (LogEvent event : answer.events()) {
                kept += sizeOf(event);
            }
            return new Answer(answer.events(), answer.to(), answer.oldest(), kept);
        } finally {
            memory.hold(subscriber.owner, kept - reserved);
        }
    }

    /** Its text takes up to two bytes a character. */
    private static long sizeOf(LogEvent event) {
        return 2L * (event.payload().length() + event.headers().length() + AROUND);
    }

    /**
     * Runs on a reader thread. {@code oldest} is read after the page, because events may be dropped while the page is read; and
     * before it, because a replayed dead letter or a rebuild may fill a gap meanwhile that the page still has. {@code reached} is
     * read twice before the page: a gap that opens later is beyond the first value, and a rebuild moves {@code reached} back
     * before {@code oldest}.
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
                    "the read model returned a page up to " + page.to() + ", asked for " + after + " to " + upto);
        }
        return new Answer(page.events(), page.to(), 0);
    }

    /** At most what the outbox has room for, so that a slow client holds little memory. */
    private History.Stretch stretch(long after, long upto) {
        GatewayOptions options = hub.options();
        return new History.Stretch(topic, after, upto, options.page(), options.outboxBytes() / 2);
    }

    private void take(Subscriber subscriber, long after, Answer answer) {
        if (answer.isNothing()) {
            later(subscriber, "the read model is behind");
        } else if (answer.oldest() < 0) {
            later(subscriber, "streams that resume take all memory for history, or all of its share");
        } else if (answer.oldest() > 0) {
            snapshot(subscriber, answer.oldest());
        } else {
            refuseDisorder(answer, after);
            subscriber.patienceEnds =
                    System.nanoTime() + hub.options().catchUp().toNanos();
            topicRooms.welcome(subscriber);
            subscriber.page.addAll(answer.events());
            subscriber.pageEnd = answer.to();
            goOn(subscriber);
        }
    }

    private static void refuseDisorder(Answer answer, long after) {
        long last = after;
        for (LogEvent event : answer.events()) {
            if (event.position() <= last || event.position() > answer.to()) {
                throw new IllegalStateException("the read model returned position " + event.position() + " after "
                        + last + " up to " + answer.to());
            }
            last = event.position();
        }
    }

    private EncodedFrame frame(Subscriber subscriber, LogEvent event) {
        return FrameEncoder.event(subscriber.form(), event, hub.options().format());
    }

    /** Moves the page into the outbox as far as it fits; true if all of it did. */
    private boolean emptyPage(Subscriber subscriber) {
        int sent = 0;
        while (!subscriber.page.isEmpty()) {
            LogEvent event = subscriber.page.element();
            if (!subscriber.hears(event)) {
                log.error("history_event_out_of_reach topic={} position={} it is left out", topic, event.position());
            } else if (awaitsRoom(subscriber)
                    || !fits(subscriber, frame(subscriber, event).ofHistory())) {
                hub.watch().replayedFromHistory(topic, sent);
                return false;
            } else {
                sent++;
            }
            subscriber.cursor = event.position();
            subscriber.page.remove();
            hub.historyMemory().hold(subscriber.owner, -sizeOf(event)); // its frame is counted in the outbox
            subscriber.pageHeld -= sizeOf(event);
        }
        if (sent > 0) {
            hub.watch().replayedFromHistory(topic, sent);
        }
        subscriber.cursor = Math.max(subscriber.cursor, subscriber.pageEnd);
        return true;
    }

    // ── no event to resume from ─────────────────────────────────────────────────────────────────────────────────────

    /** The cursor is ahead of the feed, or of a log that was truncated. */
    private void askHead(Subscriber subscriber) {
        record Ends(long head, long oldest) {}
        ask(subscriber, () -> new Ends(feed.head(topic), history.oldest(topic)), ends -> {
            if (subscriber.cursor > Math.max(ends.head(), topicRooms.reached())) {
                snapshot(subscriber, ends.oldest());
            } else if (subscriber.cursor > topicRooms.reached()) {
                topicRooms.goLive(subscriber); // events that it has already are skipped as they arrive
            } else {
                goOn(subscriber);
            }
        });
    }

    private void snapshot(Subscriber subscriber, long oldest) {
        hub.watch().snapshotNeeded(topic);
        subscriber.dropPage();
        subscriber.astray = false;
        subscriber.cursor = topicRooms.recent().reached();
        subscriber.welcomed = true;
        subscriber.outbox().begin(subscriber.cursor);
        if (subscriber.offer(FrameEncoder.snapshot(subscriber.form(), oldest, subscriber.cursor))) {
            topicRooms.goLive(subscriber);
        } else {
            hub.end(subscriber, DisconnectReason.SLOW);
        }
    }

    /** The log was replaced. Pending answers are dropped, and the subscribers continue. */
    void changed(List<Subscriber> catching) {
        era++;
        catching.forEach(subscriber -> {
            subscriber.patienceEnds =
                    System.nanoTime() + hub.options().catchUp().toNanos();
            hub.tell(subscriber, () -> goOn(subscriber));
        });
    }

    // ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private interface Question<T> {
        T ask() throws Exception;
    }

    private interface Use<T> {
        void use(T answer);

        /** The subscriber has left, or the log was replaced. */
        default void drop(T answer) {}
    }

    private <T> void ask(Subscriber subscriber, Question<T> question, Use<T> use) {
        int asked = era;
        subscriber.asking = true;
        hub.reads().add(subscriber, () -> {
            T answer = answer(question);
            hub.tell(subscriber, () -> {
                subscriber.asking = false;
                if (answer != null && (subscriber.state != State.CATCHING || asked != era)) {
                    use.drop(answer);
                }
                if (subscriber.state != State.CATCHING) {
                    return;
                }
                if (asked != era) {
                    goOn(subscriber);
                } else if (answer == null) {
                    later(subscriber, "the read model cannot be read");
                } else {
                    use.use(answer);
                }
            });
        });
    }

    /** It no longer catches up: its pending read is dropped. */
    void leave(Subscriber subscriber) {
        hub.reads().remove(subscriber);
        subscriber.dropPage();
    }

    private <T> @Nullable T answer(Question<T> question) {
        try {
            return question.ask();
        } catch (Exception | Error e) { // without an answer the subscriber would wait forever
            log.warn("history_failed topic={} error=\"{}\"", topic, e.toString());
            return null;
        }
    }

    private void later(Subscriber subscriber, String why) {
        if (System.nanoTime() - subscriber.patienceEnds > 0) {
            log.warn("catch_up_failed topic={} position={} {}", topic, subscriber.cursor, why);
            hub.end(subscriber, DisconnectReason.BEHIND);
        } else {
            hub.later(A_MOMENT, () -> hub.tell(subscriber, () -> goOn(subscriber)));
        }
    }
}
