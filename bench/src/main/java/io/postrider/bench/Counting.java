package io.postrider.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A run that is not timed, whose sessions begin and end with it: so the server's counts are whole. Ends the rig's work. */
final class Counting {
    private static final int CLIENTS = 8;

    private Counting() {}

    /** Leaves nothing for autovacuum to do in the middle of a count: the WAL that is counted is the whole server's. */
    static void vacuum(Side side) throws SQLException {
        try (Connection connection = side.database().connect("bench-install")) {
            Sqls.execute(connection, "vacuum");
        }
    }

    static List<Figure> count(Bench bench, String prefix, String noun, Rig rig) throws Exception {
        int events = bench.scale().counted();
        Side side = rig.side();
        rig.rest();
        Counters before = Counters.read(side.database(), side.schema());
        rig.resume(Math.min(CLIENTS, bench.scale().clients()));
        rig.clients().runTimes(events, side::produce);
        rig.settle();
        rig.rest();
        return Counters.read(side.database(), side.schema()).since(before).perOne(prefix, noun, events);
    }
}
