package io.postrider.internal.history;

import io.postrider.PostriderException;
import io.postrider.Reach;
import io.postrider.admin.Analytics;
import io.postrider.admin.CountQuery;
import io.postrider.internal.access.Scope;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.sql.SQLException;
import java.util.List;

/** Counts over the event log in the database. Thread-safe. */
final class JdbcAnalytics implements Analytics {
    private static final int MOST_ROWS = 10_000;
    private static final int MOST_TOTALS = 1_000;

    private final Database database;

    JdbcAnalytics(Database database) {
        this.database = database;
    }

    @Override
    public List<Count> counts(Reach reach, CountQuery query) {
        ReadConditions wording = ReadConditions.of(query.of(), reach);
        Sql sql = wording.in("history/counts", column(query.by()));
        List<Count> counts = Scope.read(
                database,
                reach,
                session -> session.query(
                        sql,
                        wording.and(bind -> time(bind, query, MOST_ROWS + 1)
                                .int8("seconds", query.bucket().length().toSeconds())),
                        row -> new Count(row.instant("bucket"), row.textOrNull("name"), row.int8("events"))));
        if (counts.size() > MOST_ROWS) {
            throw PostriderException.refused("the result has more than " + MOST_ROWS
                    + " counts; use a longer bucket, a shorter time or a narrower filter");
        }
        return counts;
    }

    @Override
    public List<Total> totals(Reach reach, CountQuery query) {
        ReadConditions wording = ReadConditions.of(query.of(), reach);
        Sql sql = wording.in("history/totals", column(query.by()));
        return Scope.read(
                database,
                reach,
                session -> session.query(
                        sql,
                        wording.and(bind -> time(bind, query, MOST_TOTALS)),
                        row -> new Total(row.textOrNull("name"), row.int8("events"))));
    }

    private static String column(CountQuery.By by) {
        return switch (by) {
            case NOTHING -> "null::text";
            case TYPE -> "e.event_type";
            case PROJECT -> "e.project_id";
            case USER -> "e.user_id";
        };
    }

    private static Bind time(Bind bind, CountQuery query, int most) throws SQLException {
        return bind.instant("from", query.from()).instant("to", query.to()).int4("most", most);
    }
}
