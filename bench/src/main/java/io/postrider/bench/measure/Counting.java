package io.postrider.bench.measure;

import io.postrider.bench.BenchContext;
import io.postrider.bench.database.Statements;
import io.postrider.bench.load.Side;
import io.postrider.bench.load.SideRun;
import io.postrider.bench.report.Figure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A run that is not timed and whose sessions begin and end with it, so that the server's counts are complete. Ends the side's
 * work.
 */
public final class Counting {
    private static final int CLIENTS = 8;

    private Counting() {}

    /** Leaves nothing for autovacuum to do during a count, because WAL is counted for the whole server. */
    public static void vacuum(Side side) throws SQLException {
        try (Connection connection = side.database().connect("bench-install")) {
            Statements.execute(connection, "vacuum");
        }
    }

    public static List<Figure> count(BenchContext bench, String prefix, String noun, SideRun rig) throws Exception {
        int events = bench.scale().counted();
        Side side = rig.side();
        rig.rest();
        ServerCounters before = ServerCounters.read(side.database(), side.schema());
        rig.resume(Math.min(CLIENTS, bench.scale().clients()));
        rig.clients().runTimes(events, side::produce);
        rig.settle();
        rig.rest();
        return ServerCounters.read(side.database(), side.schema()).since(before).perOne(prefix, noun, events);
    }
}
