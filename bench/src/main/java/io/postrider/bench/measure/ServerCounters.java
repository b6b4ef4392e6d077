package io.postrider.bench.measure;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.database.Statements;
import io.postrider.bench.report.Figure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The server's counters, which do not depend on the load of the machine.
 *
 * <p>A session reports its counts when it ends, or after one to ten seconds: read this after the sessions in question are closed.
 *
 * @param wal bytes of WAL, of the whole server
 * @param xids transaction ids used, by the whole server
 * @param commits of this database, including read-only transactions
 * @param dead dead tuples in the tables of a schema
 * @param rewritten rows updated or deleted in them
 */
public record ServerCounters(long wal, long xids, long commits, long dead, long rewritten) {
    private static final String READ = """
            select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8,
              pg_snapshot_xmax(pg_current_snapshot())::text::int8,
              (select d.xact_commit from pg_stat_database d where d.datname = current_database()),
              coalesce(sum(t.n_dead_tup), 0)::int8,
              coalesce(sum(t.n_tup_upd + t.n_tup_del), 0)::int8
            from pg_stat_user_tables t where t.schemaname = ?""";

    public static ServerCounters read(BenchDatabase database, String schema) throws SQLException {
        try (Connection connection = database.connect("bench-counters");
                PreparedStatement read = connection.prepareStatement(READ)) {
            read.setString(1, schema);
            try (ResultSet row = read.executeQuery()) {
                row.next();
                return new ServerCounters(
                        row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
            }
        }
    }

    public ServerCounters since(ServerCounters before) {
        return new ServerCounters(
                wal - before.wal,
                xids - before.xids,
                commits - before.commits,
                dead - before.dead,
                rewritten - before.rewritten);
    }

    /** Informational figures per event or job, and the total of dead tuples. */
    public List<Figure> perOne(String prefix, String noun, long count) {
        List<Figure> figures = new ArrayList<>(costs(prefix, noun, count));
        figures.add(Figure.of(prefix + ".dead_tuples", (double) Math.max(0, dead), "tuples"));
        return figures;
    }

    /** The same without the dead tuples, for scenarios that have a goal for them. */
    public List<Figure> costs(String prefix, String noun, double count) {
        return List.of(
                Figure.of(prefix + ".wal", wal / count, "bytes/" + noun),
                Figure.of(prefix + ".commits", commits / count, "commits/" + noun),
                Figure.of(prefix + ".xids", xids / count, "xids/" + noun));
    }

    /** Which tables have the dead tuples, to find the cause if there are too many. */
    public static String deadByTable(BenchDatabase database, String schema) throws SQLException {
        try (Connection connection = database.connect("bench-look")) {
            return Statements.text(
                    connection,
                    "select 'dead tuples in ' || string_agg(t.relname || ' ' || t.n_dead_tup, ', ' order by t.n_dead_tup desc)"
                            + " from pg_stat_user_tables t where t.n_dead_tup > 0 and t.schemaname = '" + schema + "'");
        }
    }
}
