package io.postrider.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The session settings that a handler changes beyond its transaction: by SET, RESET or set_config(…, false). The connection
 * goes back to a pool, and its next user would find another search_path, role or tenant. The value of a setting is queried before
 * the handler's statement runs, so a handler that changes no setting only pays for a scan of its SQL text. Not thread-safe.
 */
final class SessionSettings {
    /** Matches SQL that changes a setting beyond the transaction; SET LOCAL, SET TRANSACTION and SET CONSTRAINTS do not. */
    private static final Pattern CHANGE = Pattern.compile(
            "(?:^|;)\\s*(?:set\\s+(?:session\\s+)?(?!local\\b|transaction\\b|constraints\\b|session\\b|characteristics\\b)"
                    + "|reset\\s+)\"?([a-z_][\\w.]*)\"?(\\s+zone\\b)?"
                    + "|\\bset_config\\s*\\(\\s*'([^']+)'\\s*,[^;]*?,\\s*(?!true\\b|'t)");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n]*", Pattern.DOTALL);

    private final Connection connection;
    private final Map<String, @Nullable String> before = new LinkedHashMap<>();

    SessionSettings(Connection connection) {
        this.connection = connection;
    }

    /** Called before the handler runs this statement. */
    void note(String sql) throws SQLException {
        String text = sql.toLowerCase(Locale.ROOT);
        if (!text.contains("set")) {
            return;
        }
        Matcher change = CHANGE.matcher(COMMENT.matcher(text).replaceAll(" "));
        while (change.find()) {
            String name = change.group(1) == null ? change.group(3) : change.group(1);
            keep(change.group(2) != null ? "timezone" : name.equals("authorization") ? "session_authorization" : name);
        }
    }

    private void keep(String name) throws SQLException {
        if (before.containsKey(name)) {
            return;
        }
        try (PreparedStatement ask = connection.prepareStatement("select pg_catalog.current_setting(?, true)")) {
            ask.setString(1, name);
            try (ResultSet answer = ask.executeQuery()) {
                before.put(name, answer.next() ? answer.getString(1) : null);
            }
        }
    }

    /**
     * Restores each setting, in the handler's transaction and before it commits: afterwards the connection may have another user.
     * Skips names that had no value and are not settings of an extension, such as "all".
     */
    void restore() {
        before.forEach((name, value) -> {
            if (value != null || name.contains(".")) {
                restore(name, value == null ? "" : value);
            }
        });
        before.clear();
    }

    private void restore(String name, String value) {
        try (PreparedStatement set = connection.prepareStatement("select pg_catalog.set_config(?, ?, false)")) {
            set.setString(1, name);
            set.setString(2, value);
            set.execute();
        } catch (SQLException e) {
            throw Session.failed("restore_setting", e);
        }
    }
}
