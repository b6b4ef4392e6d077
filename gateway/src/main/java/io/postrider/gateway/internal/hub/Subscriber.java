package io.postrider.gateway.internal.hub;

import io.postrider.LogEvent;
import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.FrameSource;
import io.postrider.gateway.Identity;
import io.postrider.gateway.Room;
import io.postrider.gateway.Transport;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.limits.ConnectionLimits;
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
 * One connection at the hub.
 *
 * <pre>
 * CATCHING  from joining until it has all past events: from memory in slices, or from the read model page by page, whenever
 *           its outbox has room. A slow reader is only slow here. Ends when it has all events, or by a cut.
 * LIVE      is in its rooms and gets each event as it happens. Ends by a cut, for example because its outbox is full.
 * CUT       removed from its rooms; its outbox holds only the cut frame. Ends when the transport is closed, or aborted.
 * GONE      nothing refers to it.
 * </pre>
 *
 * The public methods are for the transport and may be called by any thread. Everything else is hub thread only.
 */
public final class Subscriber implements FrameSource {
    public enum State {
        CATCHING,
        LIVE,
        CUT,
        GONE
    }

    private static final Logger log = LoggerFactory.getLogger(Subscriber.class);

    private final HubCore hub;
    private final Admission entry;
    private final Transport transport;
    private final ConnectionLimits.Slot slot;
    private final Outbox outbox;
    private final Executor writers;
    private final AtomicInteger wanted = new AtomicInteger();
    private final AtomicBoolean left = new AtomicBoolean();

    /** The owner of its connection slot. */
    final ConnectionLimits.Owner owner;

    // Hub thread only.
    public State state = State.CATCHING;
    DisconnectReason reason = DisconnectReason.GONE;
    Identity identity;
    long cursor = -1;
    boolean welcomed;

    /** A read for it is in progress; its result must be delivered first. */
    public boolean asking;

    /** It has received events that are no longer in the log. */
    boolean astray;

    long lastFrame = System.nanoTime();
    long cutAt;
    long patienceEnds;
    final Deque<LogEvent> page = new ArrayDeque<>();

    /** What the page holds of the memory for history. */
    long pageHeld;

    /** The last position that the page covers; after its last event there may be positions of other rooms. */
    long pageEnd;

    Subscriber(HubCore hub, Admission entry, Transport transport, ConnectionLimits.Slot slot) {
        this.hub = hub;
        this.entry = entry;
        this.transport = transport;
        this.slot = slot;
        this.identity = entry.identity();
        this.owner = ConnectionLimits.Owner.of(identity);
        this.writers = hub.writers();
        this.outbox = new Outbox(
                transport.form(),
                hub.options().outboxBytes(),
                hub.options().outboxFrames(),
                change -> hub.historyMemory().hold(owner, change));
    }

    // ── called by the transport ─────────────────────────────────────────────────────────────────────────────────────

    @Override
    public @Nullable EncodedFrame next() {
        EncodedFrame frame = outbox.next();
        if (outbox.takeRefill()) {
            hub.refill(this);
        }
        return frame;
    }

    @Override
    public void writable() {
        if (wanted.getAndIncrement() == 0) {
            writers.execute(this::flush);
        }
    }

    /** Runs one flush at a time: a concurrent request only increments the counter, and the running flush repeats. */
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

    /** The connection is closed, by either side. May be called more than once. */
    public void gone() {
        if (left.compareAndSet(false, true)) {
            outbox.close();
            slot.leave();
            hub.gone(this);
        }
    }

    @Override
    public void cut(DisconnectReason why) {
        hub.cut(this, why);
    }

    // ── called by the hub ───────────────────────────────────────────────────────────────────────────────────────────

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

    public Transport.Form form() {
        return transport.form();
    }

    Outbox outbox() {
        return outbox;
    }

    boolean isOpen() {
        return state == State.CATCHING || state == State.LIVE;
    }

    /** Drops the events of its page that are not in the outbox yet. */
    void dropPage() {
        page.clear();
        pageEnd = 0;
        hub.historyMemory().hold(owner, -pageHeld);
        pageHeld = 0;
    }

    /** Whether an event is in one of its rooms and its identity may read it. */
    boolean hears(LogEvent event) {
        return identity.mayRead(event) && isInRoom(event);
    }

    boolean hears(PublishedEvent published) {
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

    /** False if the outbox is full. */
    boolean offer(EncodedFrame frame) {
        if (!outbox.offer(frame)) {
            return false;
        }
        lastFrame = System.nanoTime();
        writable();
        return true;
    }
}
