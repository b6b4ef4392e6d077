package io.postrider.cli.events;

import io.postrider.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Keeps the ids of a transaction until it commits, as numbers: a file may have millions of events. */
final class EmittedIds {
    private long[] halves = new long[128];
    private int count;
    private final List<Run> runs = new ArrayList<>();

    /** A run of events with the same topic and type, up to an index. Usually there is only one. */
    private record Run(String topic, String type, int end) {}

    /** Receives each id. */
    interface Each {
        void id(UUID id, String topic, String type);
    }

    void add(Event event) {
        if (2 * count == halves.length) {
            halves = Arrays.copyOf(halves, Math.multiplyExact(halves.length, 2));
        }
        halves[2 * count] = event.id().getMostSignificantBits();
        halves[2 * count + 1] = event.id().getLeastSignificantBits();
        count++;
        Run run = new Run(event.topic(), event.type(), count);
        Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last.topic().equals(run.topic()) && last.type().equals(run.type())) {
            runs.set(runs.size() - 1, run);
        } else {
            runs.add(run);
        }
    }

    int count() {
        return count;
    }

    void forEach(Each each) {
        int i = 0;
        for (Run run : runs) {
            for (; i < run.end(); i++) {
                each.id(new UUID(halves[2 * i], halves[2 * i + 1]), run.topic(), run.type());
            }
        }
    }
}
