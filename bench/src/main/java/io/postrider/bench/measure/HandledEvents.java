package io.postrider.bench.measure;

import java.util.Arrays;
import java.util.UUID;

/** What the handler of the child process has received: the number of events and, if requested, the times. */
public final class HandledEvents {
    private static final int ROOM = 3 << 12;

    private long[] entries = new long[ROOM];
    private int used;
    private boolean recording;
    private long count;

    /** The handler. It takes the time first. */
    public void saw(UUID id) {
        long now = System.nanoTime();
        synchronized (this) {
            count++;
            if (recording) {
                note(id, now);
            }
        }
    }

    private void note(UUID id, long now) {
        if (used + 3 > entries.length) {
            entries = Arrays.copyOf(entries, entries.length * 2);
        }
        entries[used++] = id.getMostSignificantBits();
        entries[used++] = id.getLeastSignificantBits();
        entries[used++] = now;
    }

    public synchronized long count() {
        return count;
    }

    public synchronized void record(boolean on) {
        recording = on;
        used = 0;
    }

    /** The records since the last call. */
    public synchronized String dump() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < used; i += 3) {
            text.append(entries[i])
                    .append(':')
                    .append(entries[i + 1])
                    .append(':')
                    .append(entries[i + 2])
                    .append(' ');
        }
        used = 0;
        return text.toString();
    }
}
