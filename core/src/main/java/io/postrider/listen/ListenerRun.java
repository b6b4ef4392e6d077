package io.postrider.listen;

import io.postrider.Listener;
import io.postrider.LogEvent;
import io.postrider.Policy;
import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.listen.Fate.Delivered;
import io.postrider.listen.Fate.Failed;
import io.postrider.listen.Fate.OneOfThem;
import io.postrider.listen.Fate.Partly;
import io.postrider.listen.Fate.Unavailable;
import io.postrider.listen.Fate.Unnoted;
import io.postrider.log.Heads;
import io.postrider.log.LogReader;
import io.postrider.log.LogReader.Stretch;
import io.postrider.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
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
 *           alone. A sink gets about a second's worth at once, so that a pause is soon heeded.
 * CAREFUL   the first batch of positions after a tenure that did not end in order: something there may have killed the
 *           process. Each event alone, its attempt counted and committed before it is made. Leaves behind that batch.
 * HELD UP   the event after the cursor is set back. Known to have arrived: the cursor moves past it. Out of attempts: it
 *           becomes a dead letter in the transaction that moves the cursor past it. Policy block: waits for its time and
 *           tries it alone, counted. Policies park and skip: the cursor moves past it, and it is tried again from behind.
 * AWAY      a relay's sink is not there. No event is to blame and no attempt counts; the sink is tried again after a wait that
 *           grows to 10 s, or as long as it asked for, until it is back. A crash here leaves a note that the successor clears.
 * </pre>
 *
 * Beside that, {@link Retries} has its turns for what is set back behind the cursor. A crash at any point leaves the cursor, the
 * setbacks and, for a transactional listener, all effects as of the last settlement. What it costs a relay is that events after
 * it are sent again, but for those that its sink says it has.
 */
final class ListenerRun implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ListenerRun.class);

    /** With a filter, so many positions without an event for us are written down as passed; fewer after a while. */
    private static final int PASSED_OVER = 1_000;

    private static final Duration A_WHILE = Duration.ofSeconds(1);

    /** What a sink has taken is noted so often at most while there is more: a note is a commit, and that took as long as a send. */
    private static final Duration NOTED_EVERY = Duration.ofMillis(100);

    private static final Backoff STUMBLING = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));

    private final Database database;
    private final Listener listener;
    private final Heads heads;
    private final LogReader reader;
    private final ReadAhead reading;
    private final Post post;
    private final Performer performer;
    private final Setbacks setbacks;
    private final Attempts attempts;
    private final Retries retries;
    private final Account account;
    private final Ledger ledger;
    private final Outlet outlet;
    private final Pace pace;
    private volatile boolean running = true;

    /** Something failed: whatever we believe about the listener must be read again. */
    private boolean stale;

    private long tenure;
    private long startRow;
    private long cursor;
    private int era;
    private long scanned;

    /** How many events up to there a sink has taken that the ledger does not know of. */
    private int unnoted;

    private long progressAt;
    private long carefulUpto;

    /**
     * Up to here each batch is noted as it is sent, after a tenure that was cut: what killed it may lie further on than the first
     * batch, and with the cursor far behind it each life would come only a batch nearer.
     */
    private long promptUpto;

    private boolean wasCut;
    private TreeMap<Long, Ahead> ahead = new TreeMap<>();

    ListenerRun(Listening listening, Listener listener, Post post) {
        this.database = listening.database();
        this.listener = listener;
        this.heads = listening.heads();
        this.reader = listening.reader();
        this.reading = new ReadAhead(listener, listening.reader(), heads, listening.threads());
        this.post = post;
        this.performer = new Performer(database, listener, listening.threads());
        this.setbacks = new Setbacks(listener.name(), listening.worker());
        this.attempts = new Attempts(database, performer, setbacks);
        this.account = new Account(database, listener, setbacks, listening.watch());
        this.ledger = new Ledger(database, listener.name(), listening.worker());
        this.outlet = performer
                .sender()
                .<Outlet>map(sender -> new Relaying(database, listener, sender, listening.watch()))
                .orElse(Outlet.NONE);
        this.retries = new Retries(
                new Retries.Shared(database, listener, performer, setbacks, attempts, account, outlet), post);
        this.pace = new Pace(listener.batch(), outlet.isSlow());
    }

    /** What every listener of a node shares. */
    record Listening(
            Database database, Heads heads, LogReader reader, ExecutorService threads, String worker, Watch watch) {}

    /** A setback that the cursor has not passed, and when it is due by our own clock. */
    private record Ahead(UUID event, int attempt, long dueAt) {}

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
                carefulUpto = scanned + listener.batch();
                log.error("listener_stumbled listener={} failures={}", listener.name(), failures, e);
                rest(STUMBLING.after(failures));
            }
        }
        endTenure();
    }

    private void ride() throws InterruptedException {
        if (post.takeTest()) {
            outlet.test();
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
        if (outlet.isAway()) {
            noteUnnoted();
            heads.awaitBeyond(listener.topic(), Long.MAX_VALUE, atMostAWhile(outlet.untilNextTry()));
            return;
        }
        if (post.takeDue() || retries.isDue()) {
            noteUnnoted();
            retries.turn(cursor, () -> running && post.mayRun() == tenure && !outlet.isAway());
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
        int most = careful ? 1 : pace.slice();
        Stretch stretch = reading.read(scanned, last, most, era);
        if (stretch.isEmpty()) {
            passOver(scanned == last);
            heads.awaitBeyond(listener.topic(), scanned, atMostAWhile(retries.untilDue()));
        } else if (stretch.era() != era) {
            readState();
        } else if (stretch.events().isEmpty()) {
            scanned = stretch.to();
            passOver(scanned == last);
        } else if (!outlet.makeSure()) {
            return; // nothing is sent to one who cannot say what it has, and no attempt begins
        } else if (careful && !retries.isParked(stretch.events().get(0))) {
            alone(stretch.events().get(0), stretch.to());
        } else {
            boolean isMore = outlet.isSlow() && !careful && stretch.events().size() == most;
            if (isMore) {
                reading.begin(stretch, most, era);
            }
            handle(stretch, isMore);
        }
    }

    private void handle(Stretch stretch, boolean isMore) throws InterruptedException {
        Sorted sorted = sort(stretch);
        List<LogEvent> events = sorted.events();
        long began = System.nanoTime();
        boolean noteLater = isMore && sorted.parked().isEmpty() && cursor >= promptUpto && isNotedLately();
        Fate fate = noteLater
                ? performer.send(events)
                : performer.perform(events, session -> {
                    sorted.parked().forEach(event -> setbacks.park(session, event));
                    return settle(session, stretch.to(), events.size());
                });
        if (fate instanceof Delivered) {
            pace.took(events.size(), System.nanoTime() - began);
            if (noteLater) {
                scanned = stretch.to();
                unnoted += events.size();
                account.succeeded(events, 1);
                if (!isNotedLately()) {
                    note();
                }
                return;
            }
            delivered(stretch.to(), events, began);
            scheduleParked(sorted);
        } else if (fate instanceof Failed failed) {
            outlet.answered();
            if (setBack(events.get(failed.handled()), 1, failed)) {
                settleSent(sorted, failed.handled(), began);
            }
        } else if (fate instanceof OneOfThem some) {
            outlet.answered();
            pace.halve(events.size());
            account.halved(events, some.error());
        } else if (fate instanceof Partly some) {
            pace.took(some.handled(), System.nanoTime() - began);
            settleSent(sorted, some.handled(), began);
        } else if (fate instanceof Unavailable away) {
            settleSent(sorted, away.handled(), began);
            outlet.away(away);
        } else if (fate instanceof Unnoted unnoted) {
            throw unnoted.error();
        } else {
            lost();
        }
    }

    /** The events of a stretch that may be handled now, and those that wait behind an earlier one of their key. */
    private record Sorted(List<LogEvent> events, List<LogEvent> parked) {}

    private Sorted sort(Stretch stretch) {
        List<LogEvent> events = stretch.events();
        if (!retries.hasParked()) {
            return new Sorted(events, List.of());
        }
        return new Sorted(
                events.stream().filter(event -> !retries.isParked(event)).toList(),
                events.stream().filter(retries::isParked).toList());
    }

    /** What a relay has sent before it failed is sent: only the ledger has to follow. */
    private void settleSent(Sorted sorted, int handled, long began) {
        long to = sorted.events().get(handled).position() - 1;
        if (listener.isTransactional() || to == cursor) {
            return;
        }
        List<LogEvent> sent = sorted.events().subList(0, handled);
        boolean ours = performer.settle(session -> {
            sorted.parked().stream()
                    .filter(event -> event.position() <= to)
                    .forEach(event -> setbacks.park(session, event));
            return deliver(session, to, sent.size());
        });
        if (ours) {
            delivered(to, sent, began);
            scheduleParked(sorted);
        } else {
            lost();
        }
    }

    private void scheduleParked(Sorted sorted) {
        if (!sorted.parked().isEmpty()) {
            retries.schedule(cursor);
        }
    }

    /** Positions without an event for us are written down now and then, and at once where a setback stands behind them. */
    private void passOver(boolean now) {
        boolean many = scanned - cursor >= PASSED_OVER;
        boolean long_ = System.nanoTime() - progressAt > A_WHILE.toNanos();
        if (scanned > cursor && (now || many || long_ || unnoted > 0)) {
            note();
        }
    }

    private boolean isNotedLately() {
        return System.nanoTime() - progressAt < NOTED_EVERY.toNanos();
    }

    /** Before something that may take long. */
    private void noteUnnoted() {
        if (unnoted > 0) {
            note();
        }
    }

    /** Writes down how far we have come. */
    private void note() {
        long began = progressAt;
        long to = scanned;
        if (!performer.settle(session -> deliver(session, to, 0))) {
            lost();
        } else if (unnoted > 0) {
            delivered(to, List.of(), began);
        } else {
            moved(to);
        }
    }

    // ── one event alone ─────────────────────────────────────────────────────────────────────────────────────────────

    private void heldUp(long position, Ahead setback) throws InterruptedException {
        if (!outlet.makeSure()) {
            return; // it may have the event, and then it is not to be buried
        }
        if (attempts.isDone(position, setback.event(), setback.attempt()) || outlet.has(position, setback.event())) {
            pass(position, session -> setbacks.clear(session, position, setback.attempt()));
            attempts.noted(position);
            return;
        }
        if (setback.attempt() >= listener.attempts()) {
            if (account.bury(position, setback.attempt(), session -> deliver(session, position, 0))) {
                moved(position);
            } else {
                lost();
            }
            return;
        }
        if (listener.policy() != Policy.BLOCK) {
            pass(position, session -> true);
            return;
        }
        long wait = setback.dueAt() - System.nanoTime();
        if (wait > 0) {
            long least = Math.min(wait, retries.untilDue().toNanos());
            heads.awaitBeyond(listener.topic(), Long.MAX_VALUE, atMostAWhile(Duration.ofNanos(least)));
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
        Fate fate = attempts.make(
                event,
                attempt,
                true,
                session -> setbacks.clear(session, event.position(), attempt) && settle(session, to, 1));
        if (fate instanceof Delivered) {
            delivered(to, List.of(event), began);
            pace.recover();
        } else if (fate instanceof Failed failed) {
            outlet.answered();
            setBack(event, attempt, failed);
        } else if (fate instanceof Unavailable away) {
            attempts.takeBack(event, attempt, true);
            if (attempt > 1) {
                ahead.put(event.position(), new Ahead(event.id(), attempt - 1, System.nanoTime()));
            }
            outlet.away(away);
        } else if (fate instanceof Unnoted unnoted) {
            throw unnoted.error();
        } else {
            lost();
        }
    }

    /** The cursor moves past an event that is set back: it is done and only has to be cleared, or is tried again from behind. */
    private void pass(long position, Performer.Settlement settlement) {
        if (!performer.settle(session -> settlement.settle(session) && deliver(session, position, 0))) {
            lost();
            return;
        }
        moved(position);
        retries.look(cursor);
        pace.recover();
    }

    // ── what is written down ────────────────────────────────────────────────────────────────────────────────────────

    /** An attempt failed. Whether there will be another one is decided where the event stands. False if we have lost it. */
    private boolean setBack(LogEvent event, int attempt, Failed failed) {
        Duration wait = account.waitAfter(attempt, failed);
        boolean ours = database.transaction(session -> {
            if (!isOurs(session, event)) {
                return false;
            }
            setbacks.setBack(session, event, attempt, wait, failed.error());
            return true;
        });
        if (!ours) {
            lost();
            return false;
        }
        ahead.put(event.position(), new Ahead(event.id(), attempt, System.nanoTime() + wait.toNanos()));
        account.failed(event, attempt, wait, failed.error());
        return true;
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
        return ledger.deliver(session, new Ledger.Range(cursor + 1, to, events + unnoted, era), inTenure);
    }

    private void delivered(long to, List<LogEvent> events, long began) {
        long from = cursor + 1;
        int count = unnoted + events.size();
        moved(to);
        if (count > 0) {
            outlet.answered();
        }
        account.succeeded(events, 1);
        account.delivered(from, to, count, began);
    }

    private void moved(long to) {
        cursor = to;
        scanned = to;
        unnoted = 0;
        progressAt = System.nanoTime();
        ahead.headMap(to, true).clear();
        outlet.passed(to);
    }

    // ── tenure ──────────────────────────────────────────────────────────────────────────────────────────────────────

    private void beginTenure(long mine) {
        wasCut |= ledger.beginTenure(); // or'ed: if what follows stumbles, the next call meets our own tenure
        performer.serve(ledger.tenure());
        if (wasCut && !post.isShared()) {
            ledger.endGhosts()
                    .forEach(pid ->
                            log.warn("transaction_ended listener={} pid={} its tenure is over", listener.name(), pid));
        }
        readState();
        carefulUpto = wasCut ? cursor + listener.batch() : 0;
        promptUpto = wasCut ? heads.head(listener.topic()) : 0;
        tenure = mine;
        log.info("listener_began listener={} position={} careful={}", listener.name(), cursor, wasCut);
        wasCut = false;
    }

    private void readState() {
        database.autocommit(session -> {
            Ledger.Place place = ledger.place(session);
            outlet.standAt(place);
            moved(place.cursor());
            if (startRow != place.startRow()) {
                attempts.forget();
            }
            startRow = place.startRow();
            era = place.era();
            ahead = new TreeMap<>();
            setbacks.ahead(session, cursor, post.isShared())
                    .forEach((position, one) -> ahead.put(
                            position,
                            new Ahead(
                                    one.event(),
                                    one.attempt(),
                                    System.nanoTime() + one.dueIn().toNanos())));
            return true;
        });
        retries.look(cursor);
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
            noteUnnoted();
            ledger.endTenure();
        } catch (PostriderException e) {
            // the next one is careful without need
            log.debug("tenure of {} could not be ended: {}", listener.name(), e.getMessage());
        }
    }

    /** What changes in silence, such as the loss of the lock, is seen after a while. */
    private static Duration atMostAWhile(Duration wait) {
        return wait.compareTo(A_WHILE) < 0 ? wait : A_WHILE;
    }

    private void rest(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            running = false;
        }
    }
}
