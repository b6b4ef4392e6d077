package io.postrider.bench;

import java.util.List;

/** A run that is not timed, whose sessions begin and end with it: so the server's counts are whole. Ends the rig's work. */
final class Counting {
    private static final int CLIENTS = 8;

    private Counting() {}

    static List<Figure> count(Bench bench, String prefix, Rig rig) throws Exception {
        int events = bench.scale().counted();
        Side side = rig.side();
        rig.rest();
        Counters before = Counters.read(side.database(), side.schema());
        rig.resume(Math.min(CLIENTS, bench.scale().clients()));
        rig.clients().runTimes(events, side::produce);
        rig.settle();
        rig.rest();
        return Counters.read(side.database(), side.schema()).since(before).perEvent(prefix, events);
    }
}
