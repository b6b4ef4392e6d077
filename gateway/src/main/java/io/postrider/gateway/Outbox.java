package io.postrider.gateway;

import io.postrider.gateway.Transport.Form;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to one connection, bounded. The hub puts in, the transport takes out; the lock is held for as long
 * as that takes and never while something is written.
 */
final class Outbox {
    private final Form form;
    private final long mostBytes;
    private final int mostFrames;
    private final ArrayDeque<Frame> frames = new ArrayDeque<>();
    private long bytes;
    private long sent;
    private boolean begun;
    private @Nullable Cut cut;
    private boolean cutTaken;
    private boolean refill;

    /** Something was refused for want of room. From then on nobody may say that it has got further than it has taken. */
    private boolean overflowed;

    private long since = System.nanoTime();

    Outbox(Form form, int mostBytes, int mostFrames) {
        this.form = form;
        this.mostBytes = mostBytes;
        this.mostFrames = mostFrames;
    }

    /** False if it is full. While it is nearly empty a frame fits however large it is: otherwise it could never be sent. */
    synchronized boolean offer(Frame frame) {
        if (cut != null) {
            return true; // nobody will read it, and nobody need hear of that
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
        return true;
    }

    /** What the transport takes: the frames in their order, or after a cut the frame that says so. */
    synchronized @Nullable Frame next() {
        if (cut != null) {
            boolean first = !cutTaken && cut != Cut.GONE;
            cutTaken = true;
            return first ? Frames.cut(form, cut, sent) : null;
        }
        Frame frame = frames.poll();
        if (frame != null) {
            bytes -= frame.size();
            sent = frame.position();
            since = System.nanoTime();
        }
        return frame;
    }

    /**
     * Drops what waits; what the transport takes next is the cut frame, with the position of the last one that it took; or, if it
     * has taken all and nothing was refused, with how far it would have come.
     */
    synchronized boolean cut(Cut reason, long position) {
        if (cut != null) {
            return false;
        }
        cut = reason;
        if (frames.isEmpty() && !overflowed) {
            sent = Math.max(sent, position);
        }
        frames.clear();
        bytes = 0;
        return true;
    }

    /** What it has been sent is not in the log any more: from the beginning, whatever it has taken. */
    synchronized boolean cutAstray(Cut reason) {
        boolean first = cut(reason, 0);
        if (first) {
            sent = 0;
        }
        return first;
    }

    /** Where somebody begins who has not been sent anything. */
    synchronized void begin(long position) {
        if (!begun) {
            begun = true;
            sent = position;
        }
    }

    /** Whether less than half of it is taken: the other half is for what happens meanwhile. */
    synchronized boolean hasRoom() {
        return bytes < mostBytes / 2 && frames.size() < mostFrames / 2;
    }

    /** Wants {@link #takeRefill} to say when most of it has been taken; false if it has been already. */
    synchronized boolean awaitRoom() {
        refill = !isLow();
        return refill;
    }

    /** Whether somebody waits for room, and it is there now. Says so once. */
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

    /** For how long frames have waited without one being taken; 0 if none waits. */
    synchronized long waitingNanos(long now) {
        return frames.isEmpty() ? 0 : Math.max(0, now - since);
    }
}
