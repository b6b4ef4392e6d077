package io.postrider.bench.measure;

import io.postrider.bench.database.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many pages a statement reads, which does not depend on the speed of the machine. */
public final class BufferCounts {
    private static final Pattern SHARED = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    /** A session runs a statement this often before its plan is cached. */
    private static final int SETTLE = 6;

    private BufferCounts() {}

    /** Of the statement, including the functions it calls. */
    public static long of(Connection connection, String sql) throws SQLException {
        for (int i = 0; i < SETTLE; i++) {
            Statements.text(connection, sql);
        }
        return ofNext(connection, sql);
    }

    /** Of a statement that cannot be repeated; the session has run a similar one before. */
    public static long ofNext(Connection connection, String sql) throws SQLException {
        Matcher shared = SHARED.matcher(Statements.text(connection, "explain (analyze, buffers, timing off) " + sql));
        return shared.find() ? number(shared.group(1)) + number(shared.group(2)) : 0;
    }

    private static long number(@org.jspecify.annotations.Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
