package io.postrider.gateway;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last events of a topic, bounded by count and by bytes. Positions have no holes, so an event's place is its position
 * modulo the size. Hub thread only.
 */
final class Recent {
    private final @Nullable Published[] ring;
    private final long mostBytes;
    private long first;
    private long reached;
    private long bytes;

    /** Empty; what comes next is after this position. */
    Recent(long reached, int mostEvents, long mostBytes) {
        this.ring = new Published[mostEvents];
        this.mostBytes = mostBytes;
        this.first = reached + 1;
        this.reached = reached;
    }

    /** The last position of the topic that has come here. */
    long reached() {
        return reached;
    }

    /** Whether everything after this position is here. */
    boolean covers(long position) {
        return position + 1 >= first;
    }

    Published at(long position) {
        Published published = ring[place(position)];
        if (published == null || published.position() != position) {
            throw new IllegalStateException(
                    "position " + position + " is not in memory, which has " + first + ".." + reached);
        }
        return published;
    }

    void add(Published published) {
        if (published.position() != reached + 1) {
            throw new IllegalStateException("position " + published.position() + " does not follow " + reached);
        }
        if (reached - first + 1 == ring.length) {
            forgetFirst();
        }
        reached++;
        ring[place(reached)] = published;
        bytes += published.size();
        while (bytes > mostBytes && first < reached) {
            forgetFirst();
        }
    }

    private void forgetFirst() {
        int place = place(first);
        Published gone = ring[place];
        ring[place] = null;
        bytes -= gone == null ? 0 : gone.size();
        first++;
    }

    /** Forgets what is after this position. */
    void cutBack(long position) {
        while (reached > position && reached >= first) {
            Published gone = ring[place(reached)];
            ring[place(reached)] = null;
            bytes -= gone == null ? 0 : gone.size();
            reached--;
        }
        reached = position;
        first = Math.min(first, reached + 1);
    }

    /** Forgets everything, and goes on after this position. */
    void restart(long position) {
        Arrays.fill(ring, null);
        bytes = 0;
        first = position + 1;
        reached = position;
    }

    private int place(long position) {
        return (int) (position % ring.length);
    }
}
