package io.postrider.doctor;

import io.postrider.db.Row;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A session, or what is like one: who it is, since when, at what. */
record Culprit(@Nullable Long pid, String user, String application, String state, long seconds, String query) {
    private static final int LONGEST_QUERY = 120;

    static Culprit read(Row row) throws SQLException {
        return new Culprit(
                row.int8OrNull("pid"),
                row.text("user_name"),
                row.text("application"),
                row.text("state"),
                row.int8("seconds"),
                row.text("query"));
    }

    /** Such as {@code pid 4711, user app, psql, idle in transaction, 12 min: update stock set …}. */
    String text() {
        StringBuilder text = new StringBuilder(pid == null ? "no pid" : "pid " + pid);
        text.append(user.isEmpty() ? "" : ", user " + user)
                .append(application.isEmpty() ? "" : ", " + clean(application))
                .append(state.isEmpty() ? "" : ", " + state)
                .append(", ")
                .append(age(seconds));
        return query.isEmpty()
                ? text.toString()
                : text.append(": ").append(clean(query)).toString();
    }

    /** How to be rid of it. */
    String remedy() {
        return pid == null
                ? "commit prepared or rollback prepared '" + clean(query) + "'"
                : "end its transaction, or: select pg_terminate_backend(" + pid + ")";
    }

    static String age(long seconds) {
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 7_200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3_600 + " h" : seconds / 86_400 + " d";
    }

    /** One line, and nothing that a terminal would obey: it is text of strangers. */
    static String clean(String text) {
        String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
        return line.length() <= LONGEST_QUERY ? line : line.substring(0, LONGEST_QUERY - 1) + "…";
    }
}
