package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection at the hub.
 *
 * <pre>
 * CATCHING  from joining on, while it lacks events that have happened: from memory in slices, or from the read model page by
 *           page, whenever its outbox has room. A slow reader is only slow here. Leaves when it has all, or by a cut.
 * LIVE      is in its rooms and gets each event as it happens. Leaves by a cut: a full outbox is one.
 * CUT       out of its rooms, its outbox dropped but for the cut frame. Leaves when the transport is gone, or made to go.
 * GONE      nothing refers to it.
 * </pre>
 *
 * The public methods are the transport's and may be called by any thread. All else is the hub thread's.
 */
public final class Subscriber {
    enum State {
        CATCHING,
        LIVE,
        CUT,
        GONE
    }

    private static final Logger log = LoggerFactory.getLogger(Subscriber.class);

    private final Hub hub;
    private final Entry entry;
    private final Transport transport;
    private final Places.Seat seat;
    private final Outbox outbox;
    private final Executor writers;
    private final AtomicInteger wanted = new AtomicInteger();
    private final AtomicBoolean left = new AtomicBoolean();

    /** Whose place it has. */
    final Places.Owner owner;

    // What the hub's thread knows.
    State state = State.CATCHING;
    Cut reason = Cut.GONE;
    Identity identity;
    long cursor = -1;
    boolean welcomed;

    /** A reader is at work for it: what it brings comes first. */
    boolean asking;

    /** It has seen what is not in the log any more. */
    boolean astray;

    long lastFrame = System.nanoTime();
    long cutAt;
    long patienceEnds;
    final Deque<LogEvent> page = new ArrayDeque<>();

    /** Up to where the page goes: behind its last event there may be positions of others' rooms. */
    long pageEnd;

    Subscriber(Hub hub, Entry entry, Transport transport, Places.Seat seat) {
        this.hub = hub;
        this.entry = entry;
        this.transport = transport;
        this.seat = seat;
        this.identity = entry.identity();
        this.owner = Places.Owner.of(identity);
        this.writers = hub.writers();
        this.outbox = new Outbox(
                transport.form(), hub.options().outboxBytes(), hub.options().outboxFrames());
    }

    // ── the transport's side ────────────────────────────────────────────────────────────────────────────────────────

    /** The next frame to be written; null: none now, and {@link Transport#flush} is called when there is. */
    public @Nullable Frame next() {
        Frame frame = outbox.next();
        if (outbox.takeRefill()) {
            hub.refill(this);
        }
        return frame;
    }

    /** The socket takes more: {@link Transport#flush} will be called. */
    public void writable() {
        if (wanted.getAndIncrement() == 0) {
            writers.execute(this::flush);
        }
    }

    /** One at a time: whoever comes meanwhile only leaves word that there is more. */
    private void flush() {
        int seen = wanted.get();
        while (seen != 0) {
            try {
                transport.flush();
            } catch (RuntimeException e) {
                log.error("transport_failed topic={}", topic(), e);
                gone();
            }
            seen = wanted.addAndGet(-seen);
        }
    }

    /** The other side is gone, whoever ended it. May be called more than once. */
    public void gone() {
        if (left.compareAndSet(false, true)) {
            outbox.cut(Cut.GONE, 0);
            seat.leave();
            hub.gone(this);
        }
    }

    /** Ends the stream for something that the client did. */
    public void cut(Cut why) {
        hub.cut(this, why);
    }

    // ── the hub's side ──────────────────────────────────────────────────────────────────────────────────────────────

    String topic() {
        return entry.topic();
    }

    Set<Room> rooms() {
        return entry.rooms();
    }

    @Nullable
    Long asked() {
        return entry.position();
    }

    Transport transport() {
        return transport;
    }

    Transport.Form form() {
        return transport.form();
    }

    Outbox outbox() {
        return outbox;
    }

    boolean isOpen() {
        return state == State.CATCHING || state == State.LIVE;
    }

    /** Whether an event is in one of its rooms and in its reach. */
    boolean hears(LogEvent event) {
        return identity.mayRead(event) && isInRoom(event);
    }

    boolean hears(Published published) {
        return identity.mayRead(published.event())
                && ((published.project() != null && rooms().contains(published.project()))
                        || (published.user() != null && rooms().contains(published.user())));
    }

    private boolean isInRoom(LogEvent event) {
        for (Room room : rooms()) {
            if (room.holds(event)) {
                return true;
            }
        }
        return false;
    }

    /** False if there is no room for it. */
    boolean offer(Frame frame) {
        if (!outbox.offer(frame)) {
            return false;
        }
        lastFrame = System.nanoTime();
        writable();
        return true;
    }
}
