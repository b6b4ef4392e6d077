package io.postrider.gateway.internal.hub;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Transport.Form;
import io.postrider.gateway.internal.frames.EncodedFrame;
import io.postrider.gateway.internal.frames.FrameEncoder;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of frames to be written to one connection. The hub adds and the transport removes; the lock is never held
 * during a write to the socket.
 */
final class Outbox {
    private final Form form;
    private final long mostBytes;
    private final int mostFrames;
    private final LongConsumer history;
    private final ArrayDeque<EncodedFrame> frames = new ArrayDeque<>();
    private long bytes;
    private long sent;
    private boolean begun;
    private @Nullable DisconnectReason cut;
    private boolean cutTaken;
    private boolean refill;

    /** A frame was rejected because the outbox was full. The resume position must then not be past the last frame taken. */
    private boolean overflowed;

    private long since = System.nanoTime();

    /** The size of the frames of history in the queue, and of the one that the transport has taken and not written yet. */
    private long ofHistory;

    private long takenOfHistory;

    Outbox(Form form, int mostBytes, int mostFrames) {
        this(form, mostBytes, mostFrames, change -> {});
    }

    /** Reports each change of the bytes that frames of history take here. */
    Outbox(Form form, int mostBytes, int mostFrames, LongConsumer history) {
        this.history = history;
        this.form = form;
        this.mostBytes = mostBytes;
        this.mostFrames = mostFrames;
    }

    /** False if it is full. A nearly empty outbox accepts a frame of any size, or a large frame could never be sent. */
    synchronized boolean offer(EncodedFrame frame) {
        if (cut != null) {
            return true; // the connection is closed, so the frame is dropped
        }
        if (!isLow() && (bytes + frame.size() > mostBytes || frames.size() >= mostFrames)) {
            overflowed = true;
            return false;
        }
        if (frames.isEmpty()) {
            since = System.nanoTime();
        }
        frames.add(frame);
        bytes += frame.size();
        if (frame.isOfHistory()) {
            ofHistory += frame.size();
            history.accept(frame.size());
        }
        return true;
    }

    /** The next frame in order, or the cut frame after {@link #cut}. */
    synchronized @Nullable EncodedFrame next() {
        releaseTaken(); // it is written
        if (cut != null) {
            boolean first = !cutTaken && cut != DisconnectReason.GONE;
            cutTaken = true;
            return first ? FrameEncoder.cut(form, cut, sent) : null;
        }
        EncodedFrame frame = frames.poll();
        if (frame != null) {
            bytes -= frame.size();
            sent = frame.position();
            since = System.nanoTime();
            if (frame.isOfHistory()) {
                ofHistory -= frame.size();
                takenOfHistory = frame.size();
            }
        }
        return frame;
    }

    /** The connection is gone, and the transport holds no frame. */
    synchronized void close() {
        cut(DisconnectReason.GONE, 0);
        releaseTaken();
    }

    private void releaseTaken() {
        history.accept(-takenOfHistory);
        takenOfHistory = 0;
    }

    /**
     * Drops the queue; the transport gets the cut frame next. It carries the position of the last frame taken, or the given
     * position if all frames were taken and none was rejected.
     */
    synchronized boolean cut(DisconnectReason reason, long position) {
        if (cut != null) {
            return false;
        }
        cut = reason;
        if (frames.isEmpty() && !overflowed) {
            sent = Math.max(sent, position);
        }
        frames.clear();
        bytes = 0;
        history.accept(-ofHistory);
        ofHistory = 0;
        return true;
    }

    /** The log no longer has what was sent, so the resume position is the beginning. */
    synchronized boolean cutAstray(DisconnectReason reason) {
        boolean first = cut(reason, 0);
        if (first) {
            sent = 0;
        }
        return first;
    }

    /** The resume position of a client that has not received any frame. */
    synchronized void begin(long position) {
        if (!begun) {
            begun = true;
            sent = position;
        }
    }

    /** Whether it is less than half full; the other half is for new events. */
    synchronized boolean hasRoom() {
        return bytes < mostBytes / 2 && frames.size() < mostFrames / 2;
    }

    /** Requests a {@link #takeRefill} when it is nearly empty; false if it is nearly empty already. */
    synchronized boolean awaitRoom() {
        refill = !isLow();
        return refill;
    }

    /** True once when a refill was requested and there is room for it. */
    synchronized boolean takeRefill() {
        boolean now = refill && isLow();
        refill &= !now;
        return now;
    }

    private boolean isLow() {
        return bytes <= mostBytes / 4 && frames.size() <= mostFrames / 4;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** The time since the last frame was taken; 0 if the outbox is empty. */
    synchronized long waitingNanos(long now) {
        return frames.isEmpty() ? 0 : Math.max(0, now - since);
    }
}
