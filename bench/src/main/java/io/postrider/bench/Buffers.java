package io.postrider.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many pages a statement looks at: the same on a fast and a slow machine. */
final class Buffers {
    private static final Pattern SHARED = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    /** So often a session runs a statement before its plans are made for good. */
    private static final int SETTLE = 6;

    private Buffers() {}

    /** Of the statement and all that the functions in it do. */
    static long of(Connection connection, String sql) throws SQLException {
        for (int i = 0; i < SETTLE; i++) {
            Sqls.text(connection, sql);
        }
        return ofNext(connection, sql);
    }

    /** Of a statement that cannot be repeated at will; the session has run its like before. */
    static long ofNext(Connection connection, String sql) throws SQLException {
        Matcher shared = SHARED.matcher(Sqls.text(connection, "explain (analyze, buffers, timing off) " + sql));
        return shared.find() ? number(shared.group(1)) + number(shared.group(2)) : 0;
    }

    private static long number(@org.jspecify.annotations.Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
