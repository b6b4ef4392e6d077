package io.postrider.listen;

import io.postrider.Course;
import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Policy;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.listen.Fate.Delivered;
import io.postrider.listen.Fate.Failed;
import io.postrider.listen.Fate.Unavailable;
import io.postrider.log.Heads;
import io.postrider.log.LogReader;
import io.postrider.log.LogReader.Stretch;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One listener on this node, riding along the log: read the next stretch, hand it to the handler, settle, again.
 *
 * <pre>
 * WAITING   another node runs it, or it is paused or detached. Leaves when the wire gets its lock. Nothing is held.
 * RIDING    stretches of up to a batch, never across an event that is set back. A failure at a known event sets that event
 *           back; those before it are settled first. One somewhere in a batch halves the stretch until the event stands
 *           alone.
 * CAREFUL   the first batch of positions after a tenure that did not end in order: something there may have killed the
 *           process. Each event alone, its attempt counted and committed before it is made. Leaves behind that batch.
 * HELD UP   the event after the cursor is set back. Out of attempts: it becomes a dead letter in the transaction that
 *           moves the cursor past it. Policy block: waits for its time and tries it alone, counted. Policies park and
 *           skip: the cursor moves past it, and it is tried again from behind.
 * AWAY      a relay's sink is not there. No event is to blame and no attempt counts; the sink is tried again after a wait that
 *           grows to 10 s, or as long as it asked for, until it is back. A crash here leaves a note that the successor clears.
 * </pre>
 *
 * Beside that, setbacks behind the cursor (parked, skipped, replayed) are tried when they are due, the first of each key.
 * A crash at any point leaves the cursor, the setbacks and, for a transactional listener, all effects as of the last
 * settlement. What it costs a relay is that events after it are sent again.
 */
final class ListenerRun implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ListenerRun.class);
    /** Setbacks tried in one go before the log gets its turn again. */
    private static final int DUE_AT_ONCE = 50;

    /** With a filter, so many positions without an event for us are written down as passed; fewer after a while. */
    private static final int PASSED_OVER = 1_000;

    private static final Duration A_WHILE = Duration.ofSeconds(1);
    private static final Duration NOBODY_WAITS = Duration.ofHours(1);
    private static final Backoff STUMBLING = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));

    private final Database database;
    private final Listener listener;
    private final Heads heads;
    private final LogReader reader;
    private final Post post;
    private final Performer performer;
    private final Setbacks setbacks;
    private final Backoff backoff;
    private final Ledger ledger;
    private final Watch watch;
    private final @Nullable Relaying relaying;
    private volatile boolean running = true;

    /** Something failed: whatever we believe about the listener must be read again. */
    private boolean stale;

    private long tenure;
    private long startRow;
    private long cursor;
    private int era;
    private long scanned;
    private long progressAt;
    private long carefulUpto;
    private int slice;
    private long dueAt;
    private TreeMap<Long, Ahead> ahead = new TreeMap<>();
    private Set<String> parkedKeys = Set.of();

    ListenerRun(Listening listening, Listener listener, Post post) {
        this.database = listening.database();
        this.listener = listener;
        this.heads = listening.heads();
        this.reader = listening.reader();
        this.post = post;
        this.performer = new Performer(database, listener, listening.threads());
        this.setbacks = new Setbacks(listener.name(), listening.worker());
        this.backoff = new Backoff(listener.backoff(), listener.backoffCap());
        this.ledger = new Ledger(database, listener.name(), listening.worker());
        this.watch = listening.watch();
        this.relaying = performer
                .sender()
                .map(sender -> new Relaying(database, listener, sender, watch))
                .orElse(null);
    }

    /** What every listener of a node shares. */
    record Listening(
            Database database, Heads heads, LogReader reader, ExecutorService threads, String worker, Watch watch) {}

    /** A setback that the cursor has not passed, and when it is due by our own clock. */
    private record Ahead(int attempt, long dueAt) {}

    /** Finishes what is under way and ends. */
    void stop() {
        running = false;
        heads.nudge(listener.topic());
        post.wake();
    }

    @Override
    public void run() {
        int failures = 0;
        while (running) {
            try {
                ride();
                failures = 0;
            } catch (InterruptedException e) {
                running = false;
            } catch (PostriderException e) {
                failures++;
                stale = true;
                log.warn(
                        "listener_stumbled listener={} failures={} error=\"{}\"",
                        listener.name(),
                        failures,
                        e.getMessage());
                rest(STUMBLING.after(failures));
            } catch (RuntimeException | Error e) {
                // A bug, or a virtual machine out of memory. An event may be the cause, so attempts are counted from
                // here on.
                failures++;
                stale = true;
                carefulUpto = cursor + listener.batch();
                log.error("listener_stumbled listener={} failures={}", listener.name(), failures, e);
                rest(STUMBLING.after(failures));
            }
        }
        endTenure();
    }

    private void ride() throws InterruptedException {
        if (relaying != null && post.takeTest()) {
            relaying.test();
        }
        long mine = post.mayRun();
        if (mine == 0) {
            endTenure();
            post.awaitChange();
            return;
        }
        if (mine != tenure) {
            beginTenure(mine);
        } else if (stale || post.isResetSince(startRow)) {
            readState();
        }
        if (relaying != null && relaying.isAway()) {
            heads.awaitBeyond(listener.topic(), Long.MAX_VALUE, relaying.untilNextTry());
            return;
        }
        if (post.takeDue() || System.nanoTime() - dueAt >= 0) {
            retryDue();
        }
        Map.Entry<Long, Ahead> first = ahead.firstEntry();
        if (first == null) {
            next(Long.MAX_VALUE);
        } else if (first.getKey() > cursor + 1) {
            next(first.getKey() - 1);
        } else {
            heldUp(first.getKey(), first.getValue());
        }
    }

    // ── riding ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private void next(long last) throws InterruptedException {
        boolean careful = cursor < carefulUpto;
        Stretch stretch =
                reader.read(listener.topic(), scanned, last, careful ? 1 : slice, listener.types(), heads, era);
        if (stretch.isEmpty()) {
            passOver(scanned == last);
            heads.awaitBeyond(listener.topic(), scanned, untilDue());
        } else if (stretch.era() != era) {
            readState();
        } else if (stretch.events().isEmpty()) {
            scanned = stretch.to();
            passOver(scanned == last);
        } else if (careful && !isParked(stretch.events().get(0))) {
            alone(stretch.events().get(0), stretch.to());
        } else {
            handle(stretch);
        }
    }

    private void handle(Stretch stretch) throws InterruptedException {
        List<LogEvent> events = stretch.events();
        List<LogEvent> behind = List.of();
        if (!parkedKeys.isEmpty()) {
            behind = events.stream().filter(this::isParked).toList();
            events = events.stream().filter(event -> !isParked(event)).toList();
        }
        List<LogEvent> toHandle = events;
        List<LogEvent> toPark = behind;
        long began = System.nanoTime();
        Fate fate = performer.perform(toHandle, session -> {
            toPark.forEach(event -> setbacks.park(session, event));
            return settle(session, stretch.to(), toHandle.size());
        });
        if (fate instanceof Delivered) {
            delivered(stretch.to(), toHandle, began);
            slice = Math.min(listener.batch(), slice * 2);
            if (!toPark.isEmpty()) {
                scheduleDue();
            }
        } else if (fate instanceof Failed failed) {
            failed(toHandle, failed, began);
        } else if (fate instanceof Unavailable away) {
            settleSent(toHandle, away.index(), began);
            away(away);
        } else {
            lost();
        }
    }

    private boolean isParked(LogEvent event) {
        return event.key() != null && parkedKeys.contains(event.key());
    }

    private void failed(List<LogEvent> events, Failed failed, long began) {
        if (failed.index() < 0) {
            slice = Math.max(1, events.size() / 2);
            log.warn(
                    "outbox_publish_failed listener={} positions={}..{} the batch is halved error=\"{}\"",
                    listener.name(),
                    events.get(0).position(),
                    events.get(events.size() - 1).position(),
                    Setbacks.text(failed.error()));
            return;
        }
        LogEvent culprit = events.get(failed.index());
        if (setBack(culprit, 1, failed)) {
            settleSent(events, failed.index(), began);
        }
    }

    /** What a relay has sent before it failed is sent: only the ledger has to follow. */
    private void settleSent(List<LogEvent> events, int before, long began) {
        if (listener.isTransactional() || before == 0 || !parkedKeys.isEmpty()) {
            return;
        }
        long to = events.get(before).position() - 1;
        List<LogEvent> sent = events.subList(0, before);
        if (database.transaction(session -> deliver(session, to, sent.size()))) {
            delivered(to, sent, began);
        } else {
            lost();
        }
    }

    /** The sink is not there: nobody's fault, and nothing to count. */
    private void away(Unavailable away) {
        if (relaying != null) {
            relaying.away(away.error(), away.notBefore());
        }
    }

    /** Positions without an event for us are written down now and then, and at once where a setback stands behind them. */
    private void passOver(boolean now) {
        boolean many = scanned - cursor >= PASSED_OVER;
        boolean long_ = System.nanoTime() - progressAt > A_WHILE.toNanos();
        if (scanned > cursor && (now || many || long_)) {
            long to = scanned;
            if (database.transaction(session -> deliver(session, to, 0))) {
                moved(to);
            } else {
                lost();
            }
        }
    }

    // ── one event alone ─────────────────────────────────────────────────────────────────────────────────────────────

    private void heldUp(long position, Ahead setback) throws InterruptedException {
        if (setback.attempt() >= listener.attempts()) {
            bury(position, setback.attempt(), session -> deliver(session, position, 0));
            moved(position);
            return;
        }
        if (listener.policy() != Policy.BLOCK) {
            setAside(position);
            return;
        }
        long wait = setback.dueAt() - System.nanoTime();
        if (wait > 0) {
            heads.awaitBeyond(
                    listener.topic(),
                    Long.MAX_VALUE,
                    Duration.ofNanos(Math.min(wait, untilDue().toNanos())));
            return;
        }
        Stretch stretch = reader.read(listener.topic(), cursor, position, 1, null, heads, era);
        if (stretch.isEmpty()) {
            heads.awaitBeyond(listener.topic(), position - 1, A_WHILE);
        } else if (stretch.era() != era) {
            readState();
        } else {
            alone(stretch.events().get(0), position);
        }
    }

    /** The event after the cursor, its attempt counted first. */
    private void alone(LogEvent event, long to) throws InterruptedException {
        int attempt =
                database.transaction(session -> isOurs(session, event) ? setbacks.beginAttempt(session, event) : 0);
        if (attempt == 0) {
            lost();
            return;
        }
        long began = System.nanoTime();
        Fate fate = performer.perform(
                List.of(event),
                session -> setbacks.clear(session, event.position(), attempt) && settle(session, to, 1));
        if (fate instanceof Delivered) {
            delivered(to, List.of(event), began);
            slice = listener.batch();
        } else if (fate instanceof Failed failed) {
            setBack(event, attempt, failed);
        } else if (fate instanceof Unavailable away) {
            uncount(event, attempt, away);
            if (attempt > 1) {
                ahead.put(event.position(), new Ahead(attempt - 1, System.nanoTime()));
            }
        } else {
            lost();
        }
    }

    private void uncount(LogEvent event, int attempt, Unavailable away) {
        boolean isAhead = event.position() > cursor;
        database.transaction(session -> setbacks.uncount(session, event.position(), attempt, isAhead));
        away(away);
    }

    /** Policies park and skip: the cursor moves past an event that is set back. */
    private void setAside(long position) {
        if (!database.transaction(session -> deliver(session, position, 0))) {
            lost();
            return;
        }
        moved(position);
        readParkedKeys();
        scheduleDue();
        slice = listener.batch();
    }

    // ── setbacks behind the cursor ──────────────────────────────────────────────────────────────────────────────────

    private void retryDue() throws InterruptedException {
        for (Setbacks.Due due :
                database.autocommit(session -> setbacks.due(session, cursor, DUE_AT_ONCE, post.isShared()))) {
            if (!running || post.mayRun() != tenure || (relaying != null && relaying.isAway())) {
                return;
            }
            if (due.attempt() >= listener.attempts()) {
                bury(due.event().position(), due.attempt(), session -> true);
            } else {
                retry(due);
            }
        }
        readParkedKeys();
        scheduleDue();
    }

    private void retry(Setbacks.Due due) throws InterruptedException {
        LogEvent event = due.event();
        int attempt = database.transaction(session ->
                setbacks.beginAgain(session, event.position(), due.attempt()).orElse(0));
        if (attempt == 0) {
            return; // another worker is at it, or done with it
        }
        long began = System.nanoTime();
        Fate fate = performer.perform(List.of(event), session -> {
            performer.refuseAnother(session);
            return setbacks.clear(session, event.position(), attempt);
        });
        if (fate instanceof Delivered) {
            succeeded(event.position(), event.position(), List.of(event), attempt, began);
        } else if (fate instanceof Failed failed) {
            setBack(event, attempt, failed);
        } else if (fate instanceof Unavailable away) {
            uncount(event, attempt, away);
        } else {
            lost();
        }
    }

    private void readParkedKeys() {
        if (listener.policy() == Policy.PARK) {
            parkedKeys = database.autocommit(setbacks::parkedKeys);
        }
    }

    private void scheduleDue() {
        Optional<Duration> wait = database.autocommit(session -> setbacks.nextDue(session, cursor, post.isShared()));
        dueAt = System.nanoTime() + wait.orElse(NOBODY_WAITS).toNanos();
    }

    private Duration untilDue() {
        return Duration.ofNanos(Math.max(0, Math.min(dueAt - System.nanoTime(), A_WHILE.toNanos())));
    }

    // ── what is written down ────────────────────────────────────────────────────────────────────────────────────────

    /** An attempt failed. Whether there will be another one is decided where the event stands. False if we have lost it. */
    private boolean setBack(LogEvent event, int attempt, Failed failed) {
        Throwable error = failed.error();
        Duration wait =
                attempt >= listener.attempts() ? Duration.ZERO : longer(backoff.after(attempt), failed.notBefore());
        boolean isAhead = event.position() > cursor;
        boolean ours = database.transaction(session -> {
            if (!isAhead) {
                setbacks.setBackAgain(session, event.position(), attempt, wait, error);
            } else if (isOurs(session, event)) {
                setbacks.setBack(session, event, attempt, wait, error);
            } else {
                return false;
            }
            return true;
        });
        if (!ours) {
            lost();
            return false;
        }
        if (isAhead) {
            ahead.put(event.position(), new Ahead(attempt, System.nanoTime() + wait.toNanos()));
        }
        log.warn(
                "outbox_publish_failed listener={} topic={} position={} event_id={} attempt={} retry_in={} error=\"{}\"",
                listener.name(),
                event.topic(),
                event.position(),
                event.id(),
                attempt,
                wait,
                Setbacks.text(error));
        watch.setBack(listener.name(), event, attempt, wait, error);
        return true;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void bury(long position, int attempt, Performer.Settlement settlement) {
        Optional<DeadLetter> buried = database.transaction(session -> {
            Optional<DeadLetter> letter = setbacks.bury(session, position, attempt);
            if (letter.isPresent() && !settlement.settle(session)) {
                throw new PostriderException(
                        Kind.CONFLICT, "listener " + listener.name() + " was moved by another worker");
            }
            return letter;
        });
        buried.ifPresent(letter -> {
            log.error(
                    "outbox_dead_lettered listener={} topic={} position={} event_id={} attempt={} error=\"{}\"",
                    listener.name(),
                    letter.event().topic(),
                    position,
                    letter.event().id(),
                    attempt,
                    letter.error());
            watch.deadLettered(listener.name(), letter.event(), attempt, letter.error());
        });
    }

    /** Whether the cursor is still where we believe it, and the event what we have read; it stays so for this transaction. */
    private boolean isOurs(Session session, LogEvent event) {
        return ledger.standsAt(session, cursor, event.position(), era);
    }

    /** In the transaction of the handler, if it has one. */
    private boolean settle(Session session, long to, int events) {
        return deliver(session, to, events, listener.isTransactional() ? ledger.tenure() : null);
    }

    private boolean deliver(Session session, long to, int events) {
        return deliver(session, to, events, null);
    }

    private boolean deliver(Session session, long to, int events, @Nullable Long inTenure) {
        return ledger.deliver(session, new Ledger.Range(cursor + 1, to, events, era), inTenure);
    }

    private void delivered(long to, List<LogEvent> events, long began) {
        long from = cursor + 1;
        moved(to);
        succeeded(from, to, events, 1, began);
    }

    private void succeeded(long from, long to, List<LogEvent> events, int attempt, long began) {
        if (relaying != null && !events.isEmpty()) {
            relaying.back();
        }
        watch.delivered(
                listener.name(),
                listener.topic(),
                from,
                to,
                events.size(),
                Duration.ofNanos(System.nanoTime() - began));
        if (log.isDebugEnabled()) {
            events.forEach(event -> log.debug(
                    "outbox_publish_succeeded listener={} topic={} position={} event_id={} attempt={}",
                    listener.name(),
                    event.topic(),
                    event.position(),
                    event.id(),
                    attempt));
        }
    }

    private void moved(long to) {
        cursor = to;
        scanned = to;
        progressAt = System.nanoTime();
        ahead.headMap(to, true).clear();
        if (relaying != null) {
            relaying.passed(to);
        }
    }

    // ── tenure ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private void beginTenure(long mine) {
        boolean careful = ledger.beginTenure();
        performer.serve(ledger.tenure());
        if (careful && !post.isShared()) {
            ledger.endGhosts()
                    .forEach(pid ->
                            log.warn("transaction_ended listener={} pid={} its tenure is over", listener.name(), pid));
        }
        readState();
        slice = listener.batch();
        carefulUpto = careful ? cursor + listener.batch() : 0;
        tenure = mine;
        log.info("listener_began listener={} position={} careful={}", listener.name(), cursor, careful);
    }

    private void readState() {
        database.autocommit(session -> {
            Ledger.Place place = ledger.place(session);
            if (relaying != null) {
                Course course = new Course(listener.name(), listener.topic(), place.course());
                relaying.standAt(course, place.cursor(), place.unavailableTries());
            }
            moved(place.cursor());
            startRow = place.startRow();
            era = place.era();
            ahead = new TreeMap<>();
            setbacks.ahead(session, cursor, post.isShared())
                    .forEach((position, one) -> ahead.put(
                            position,
                            new Ahead(
                                    one.attempt(),
                                    System.nanoTime() + one.dueIn().toNanos())));
            return true;
        });
        readParkedKeys();
        scheduleDue();
        stale = false;
    }

    /** Another worker has moved the listener: what we believed is read again. */
    private void lost() {
        log.warn("listener_lost listener={} position={} another worker has moved it", listener.name(), cursor);
        readState();
    }

    private void endTenure() {
        if (tenure == 0) {
            return;
        }
        tenure = 0;
        try {
            ledger.endTenure();
        } catch (PostriderException e) {
            // the next one is careful without need
            log.debug("tenure of {} could not be ended: {}", listener.name(), e.getMessage());
        }
    }

    private void rest(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            running = false;
        }
    }
}
