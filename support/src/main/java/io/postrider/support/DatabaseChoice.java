package io.postrider.support;

import io.postrider.PostriderException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which database to use, and which setting selected it: the one place that decides this, for the server and every command. The
 * first of: {@code postrider.database-url} (the option {@code --database-url}, the variable POSTRIDER_DATABASE_URL), {@code
 * spring.datasource.url}, PSQL_HOST and the other PSQL_* variables, PGHOST and the other PG* variables.
 *
 * @param url empty: none of them is set. The server then starts an embedded database; a command refuses to run
 * @param source the setting that selected it
 */
public record DatabaseChoice(Optional<DatabaseUrl> url, String source) {
    private static final Set<String> PSQL =
            Set.of("PSQL_HOST", "PSQL_PORT", "PSQL_USER", "PSQL_PASSWORD", "PSQL_DATABASE");
    private static final Set<String> PG = Set.of("PGHOST", "PGPORT", "PGUSER", "PGDATABASE");

    /** Reads properties and variables by their names; null for missing ones. */
    public static DatabaseChoice of(@Nullable String databaseUrl, UnaryOperator<@Nullable String> property) {
        if (databaseUrl != null && !databaseUrl.isBlank()) {
            return new DatabaseChoice(Optional.of(DatabaseUrl.parse(databaseUrl)), "postrider.database-url");
        }
        String spring = property.apply("spring.datasource.url");
        if (spring != null && !spring.isBlank()) {
            return new DatabaseChoice(Optional.of(withLogin(spring, property)), "spring.datasource.url");
        }
        if (PSQL.stream().anyMatch(name -> isSet(property.apply(name)))) {
            return new DatabaseChoice(Optional.of(fromPsql(property)), "PSQL_HOST and the other PSQL_* variables");
        }
        if (PG.stream().anyMatch(name -> isSet(property.apply(name)))) {
            return new DatabaseChoice(Optional.of(DatabaseUrl.fromEnvironment(pg(property))), "the PG* variables");
        }
        return new DatabaseChoice(Optional.empty(), "nothing");
    }

    private static DatabaseUrl withLogin(String url, UnaryOperator<@Nullable String> property) {
        String user = property.apply("spring.datasource.username");
        String password = property.apply("spring.datasource.password");
        String more = (user == null ? "" : "&user=" + encoded(user))
                + (password == null ? "" : "&password=" + encoded(password));
        return DatabaseUrl.parse(url + (url.contains("?") ? "" : "?") + more);
    }

    /** Translates PSQL_* variables into those that psql reads. */
    private static DatabaseUrl fromPsql(UnaryOperator<@Nullable String> property) {
        String port = property.apply("PSQL_PORT");
        if (isSet(port) && !String.valueOf(port).matches("[0-9]{1,5}")) {
            throw PostriderException.refused("PSQL_PORT must be a port number, was '" + port + "'");
        }
        Map<String, String> variables = new LinkedHashMap<>();
        put(variables, "PGHOST", isSet(property.apply("PSQL_HOST")) ? property.apply("PSQL_HOST") : "localhost");
        put(variables, "PGPORT", port);
        put(variables, "PGUSER", property.apply("PSQL_USER"));
        put(variables, "PGPASSWORD", property.apply("PSQL_PASSWORD"));
        put(variables, "PGDATABASE", property.apply("PSQL_DATABASE"));
        return DatabaseUrl.fromEnvironment(variables);
    }

    private static Map<String, String> pg(UnaryOperator<@Nullable String> property) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String name : new String[] {
            "PGHOST",
            "PGPORT",
            "PGUSER",
            "PGPASSWORD",
            "PGDATABASE",
            "PGSSLMODE",
            "PGSSLROOTCERT",
            "PGAPPNAME",
            "PGCONNECT_TIMEOUT"
        }) {
            put(variables, name, property.apply(name));
        }
        return variables;
    }

    private static void put(Map<String, String> variables, String name, @Nullable String value) {
        if (isSet(value)) {
            variables.put(name, String.valueOf(value));
        }
    }

    private static boolean isSet(@Nullable String value) {
        return value != null && !value.isBlank();
    }

    private static String encoded(String text) {
        return java.net.URLEncoder.encode(text, java.nio.charset.StandardCharsets.UTF_8)
                .replace("+", "%20");
    }
}
