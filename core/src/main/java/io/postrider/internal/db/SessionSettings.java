package io.postrider.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The session settings that a handler changes beyond its transaction. The connection goes back to a pool, and its next user would
 * find another search_path, role or tenant. A change is noticed in two ways, and a handler that changes no setting pays no round trip:
 *
 * <ul>
 *   <li>The SQL of the handler's connection is scanned for SET, RESET and set_config(…, false), and the value is queried before the
 *       statement runs.
 *   <li>PostgreSQL reports some settings to the client when they change, in whatever way: the time zone, the session's user,
 *       whether transactions are read-only by default, and since version 18 the search_path.
 * </ul>
 *
 * Not thread-safe.
 */
final class SessionSettings {
    /** Matches SQL that changes a setting beyond the transaction; SET LOCAL, SET TRANSACTION and SET CONSTRAINTS do not. */
    private static final Pattern CHANGE =
            Pattern.compile("(?:^|;)\\s*(?:set\\s+(?:session\\s+)?(?!local\\b|transaction\\b|constraints\\b|session\\b)"
                    + "|reset\\s+)\"?([a-z_][\\w.]*)\"?(\\s+zone\\b)?"
                    + "|\\bset_config\\s*\\(\\s*'([^']+)'\\s*,[^;]*?,\\s*(?!true\\b|'t)");

    /** The settings that SET SESSION CHARACTERISTICS AS TRANSACTION changes. */
    private static final List<String> CHARACTERISTICS =
            List.of("default_transaction_isolation", "default_transaction_read_only", "default_transaction_deferrable");

    /** Reported settings that no session can set. */
    private static final Set<String> FIXED =
            Set.of("in_hot_standby", "integer_datetimes", "is_superuser", "server_encoding", "server_version");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n]*", Pattern.DOTALL);

    private final Connection connection;
    private final Map<String, String> reported;
    private final Map<String, @Nullable String> before = new LinkedHashMap<>();

    SessionSettings(Connection connection) {
        this.connection = connection;
        this.reported = reported(connection);
    }

    /** The settings that the server has reported so far. The driver keeps it, so this needs no round trip. */
    private static Map<String, String> reported(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class)
                    ? new HashMap<>(connection.unwrap(PGConnection.class).getParameterStatuses())
                    : Map.of();
        } catch (SQLException e) {
            throw Session.failed("session_settings", e);
        }
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
            for (String setting : change.group(2) == null ? settings(name) : List.of("timezone")) {
                keep(setting);
            }
        }
    }

    private List<String> settings(String name) throws SQLException {
        return switch (name) {
            case "characteristics" -> CHARACTERISTICS;
            case "authorization" -> List.of("session_authorization");
            case "all" -> setInThisSession();
            default -> List.of(name);
        };
    }

    /** For RESET ALL, which resets what the pool has set. Reading pg_settings takes 0.5 ms, so only a handler that does this pays it. */
    private List<String> setInThisSession() throws SQLException {
        try (Statement ask = connection.createStatement();
                ResultSet answer = ask.executeQuery("select s.name from pg_catalog.pg_settings s"
                        + " where s.source operator(pg_catalog.=) 'session'")) {
            List<String> names = new ArrayList<>();
            while (answer.next()) {
                names.add(answer.getString(1));
            }
            return names;
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
     * Skips names that had no value and are not settings of an extension: those are not settings.
     */
    void restore() {
        before.forEach((name, value) -> {
            if (value != null || name.contains(".")) {
                restore(name, value == null ? "" : value);
            }
        });
        before.clear();
        reported(connection).forEach((name, value) -> {
            String old = reported.get(name);
            if (old != null && !old.equals(value) && !FIXED.contains(name) && !isPin(name, value)) {
                restore(name, old);
            }
        });
    }

    /** Whether this is our own setting, which lasts only until the end of the transaction. */
    private static boolean isPin(String name, String value) {
        return name.equals("search_path") && value.equals(Session.PINNED_PATH);
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
