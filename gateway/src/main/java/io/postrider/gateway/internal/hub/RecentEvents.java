package io.postrider.gateway.internal.hub;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last events of a topic, bounded by count and by bytes. Positions have no gaps, so the index of an event is its
 * position modulo the size. Hub thread only.
 */
final class RecentEvents {
    private final @Nullable PublishedEvent[] ring;
    private final long mostBytes;
    private long first;
    private long reached;
    private long bytes;

    /** Empty; the first event follows this position. */
    RecentEvents(long reached, int mostEvents, long mostBytes) {
        this.ring = new PublishedEvent[mostEvents];
        this.mostBytes = mostBytes;
        this.first = reached + 1;
        this.reached = reached;
    }

    /** The last position received. */
    long reached() {
        return reached;
    }

    /** Whether all events after this position are in memory. */
    boolean covers(long position) {
        return position + 1 >= first;
    }

    PublishedEvent at(long position) {
        PublishedEvent published = ring[place(position)];
        if (published == null || published.position() != position) {
            throw new IllegalStateException(
                    "position " + position + " is not in memory, which has " + first + ".." + reached);
        }
        return published;
    }

    void add(PublishedEvent published) {
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
        PublishedEvent gone = ring[place];
        ring[place] = null;
        bytes -= gone == null ? 0 : gone.size();
        first++;
    }

    /** Removes the events after this position. */
    void cutBack(long position) {
        while (reached > position && reached >= first) {
            PublishedEvent gone = ring[place(reached)];
            ring[place(reached)] = null;
            bytes -= gone == null ? 0 : gone.size();
            reached--;
        }
        reached = position;
        first = Math.min(first, reached + 1);
    }

    /** Removes all events and continues after this position. */
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
