package io.postrider.internal.doctor.check;

import io.postrider.internal.db.Quoted;
import io.postrider.internal.db.Row;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A session or prepared transaction that blocks something: its owner, age and query.
 *
 * @param pid null for a prepared transaction
 * @param seconds its age; -1 if this role may not see it
 * @param query the query, or the name of a prepared transaction
 */
public record BlockingSession(
        @Nullable Long pid, String user, String application, String state, long seconds, String query) {
    private static final int LONGEST_QUERY = 120;

    public static BlockingSession read(Row row) throws SQLException {
        return new BlockingSession(
                row.int8OrNull("pid"),
                row.text("user_name"),
                row.text("application"),
                row.text("state"),
                row.int8("seconds"),
                row.text("query"));
    }

    /** Such as {@code pid 4711, user app, psql, idle in transaction, 12 min: update stock set …}. */
    public String text() {
        StringBuilder text = new StringBuilder(pid == null ? "no pid" : "pid " + pid);
        text.append(user.isEmpty() ? "" : ", user " + clean(user))
                .append(application.isEmpty() ? "" : ", " + clean(application))
                .append(state.isEmpty() ? "" : ", " + state)
                .append(", ")
                .append(seconds < 0 ? "its state is visible to pg_monitor only" : age(seconds));
        if (query.isEmpty()) {
            return text.toString();
        }
        return text.append(": ")
                .append(pid == null ? Quoted.literal(query) : clean(query))
                .toString();
    }

    /** How to end it. */
    public String remedy() {
        if (pid != null) {
            return "end its transaction, or: select pg_terminate_backend(" + pid + ")";
        }
        return query.isEmpty()
                ? "find it in pg_prepared_xacts; commit prepared or rollback prepared"
                : "commit prepared or rollback prepared " + Quoted.literal(query);
    }

    public static String age(long seconds) {
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 7_200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3_600 + " h" : seconds / 86_400 + " d";
    }

    /** One line without control characters, because the text comes from outside and may be printed on a terminal. */
    public static String clean(String text) {
        String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
        return line.length() <= LONGEST_QUERY ? line : line.substring(0, LONGEST_QUERY - 1) + "…";
    }
}
