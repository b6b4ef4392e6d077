package io.postrider.history;

import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.access.Scope;
import io.postrider.db.Bind;
import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.util.List;

/** Counts over the event log, within a reach. Bounded in what they give, and in time: 30 s. Safe to share. */
public final class Analytics {
    private static final int MOST_ROWS = 10_000;
    private static final int MOST_TOTALS = 1_000;

    private final Database database;

    Analytics(Database database) {
        this.database = database;
    }

    /**
     * How many events were created in each stretch of time and group. In the order of time, then of names. A stretch without an
     * event is not there: with groups there would be more zeros than counts. At most 10,000; more are refused.
     */
    public List<Count> counts(Reach reach, Counting counting) {
        Wording wording = Wording.of(counting.of(), reach);
        Sql sql = wording.in("history/counts", counting.by().column());
        List<Count> counts = Scope.read(
                database,
                reach,
                session -> session.query(
                        sql,
                        wording.and(bind -> time(bind, counting, MOST_ROWS + 1)
                                .int8("seconds", counting.bucket().length().toSeconds())),
                        row -> new Count(row.instant("bucket"), row.textOrNull("name"), row.int8("events"))));
        if (counts.size() > MOST_ROWS) {
            throw PostriderException.refused("these are more than " + MOST_ROWS
                    + " counts; take longer buckets, less time, or a narrower selection");
        }
        return counts;
    }

    /** How many events of each group were created in the whole time, the largest first: at most 1,000 groups. */
    public List<Total> totals(Reach reach, Counting counting) {
        Wording wording = Wording.of(counting.of(), reach);
        Sql sql = wording.in("history/totals", counting.by().column());
        return Scope.read(
                database,
                reach,
                session -> session.query(
                        sql,
                        wording.and(bind -> time(bind, counting, MOST_TOTALS)),
                        row -> new Total(row.textOrNull("name"), row.int8("events"))));
    }

    private static Bind time(Bind bind, Counting counting, int most) throws java.sql.SQLException {
        return bind.instant("from", counting.from())
                .instant("to", counting.to())
                .int4("most", most);
    }
}
