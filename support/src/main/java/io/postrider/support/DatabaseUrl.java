package io.postrider.support;

import io.postrider.PostriderException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database's address in the form of psql or JDBC. Its text never shows the password.
 *
 * <p>Parameters that name a class to load are refused, because a URL may come from a file that others can write. So is the
 * driver's simple query mode, which puts values into the text of statements.
 */
public final class DatabaseUrl {
    private static final Set<String> PLUGINS = Set.of(
            "socketfactory",
            "socketfactoryarg",
            "sslfactory",
            "sslfactoryarg",
            "sslhostnameverifier",
            "sslpasswordcallback",
            "authenticationpluginclassname",
            "xmlfactoryfactory");

    /** Parameters whose names differ between psql's URLs and the driver. */
    private static final Map<String, String> RENAMED = Map.of(
            "application_name", "ApplicationName",
            "connect_timeout", "connectTimeout",
            "dbname", "PGDBNAME",
            "channel_binding", "channelBinding",
            "gssencmode", "gssEncMode",
            "sslpassword", "sslpassword");

    private final String hosts;
    private final String database;
    private final Map<String, String> parameters;

    private DatabaseUrl(String hosts, String database, Map<String, String> parameters) {
        this.hosts = hosts;
        this.database = database;
        this.parameters = parameters;
    }

    /** Refuses a malformed or unsupported URL, without repeating a password. */
    public static DatabaseUrl parse(String text) {
        String url = text.strip();
        if (url.startsWith("jdbc:postgresql://")) {
            return split(url.substring("jdbc:postgresql://".length()));
        }
        if (url.startsWith("jdbc:postgresql:")) {
            return split("/" + url.substring("jdbc:postgresql:".length()));
        }
        if (url.startsWith("postgres://") || url.startsWith("postgresql://")) {
            return split(url.substring(url.indexOf("//") + 2));
        }
        throw refused("must begin with postgres:// or jdbc:postgresql:");
    }

    /** From the variables that psql reads. */
    public static DatabaseUrl fromEnvironment(Map<String, String> environment) {
        if (Set.of("PGHOST", "PGPORT", "PGUSER", "PGDATABASE").stream().noneMatch(name -> isSet(environment, name))) {
            throw PostriderException.refused(
                    "no database given: use --database-url postgres://user@host/database, or set"
                            + " POSTRIDER_DATABASE_URL, or PSQL_HOST and the other PSQL_* variables, or PGHOST and the"
                            + " other PG* variables");
        }
        String host = environment.getOrDefault("PGHOST", "");
        refuseSocket(host);
        Map<String, String> parameters = new TreeMap<>();
        put(parameters, "user", environment.get("PGUSER"));
        put(parameters, "password", environment.get("PGPASSWORD"));
        put(parameters, "sslmode", environment.get("PGSSLMODE"));
        put(parameters, "sslrootcert", environment.get("PGSSLROOTCERT"));
        put(parameters, "ApplicationName", environment.get("PGAPPNAME"));
        put(parameters, "connectTimeout", environment.get("PGCONNECT_TIMEOUT"));
        String port = environment.getOrDefault("PGPORT", "");
        if (!port.isEmpty() && !port.matches("[0-9]{1,5}")) {
            throw PostriderException.refused("PGPORT must be a port number, was '" + port + "'");
        }
        String user = parameters.getOrDefault("user", System.getProperty("user.name", "postgres"));
        String database = isSet(environment, "PGDATABASE") ? environment.getOrDefault("PGDATABASE", "") : user;
        String address = (host.isEmpty() ? "localhost" : bracketed(host)) + (port.isEmpty() ? "" : ":" + port);
        return new DatabaseUrl(address, database, checked(parameters));
    }

    /** The part after the two slashes: {@code user:password@host:port,host:port/database?name=value}. */
    private static DatabaseUrl split(String rest) {
        int question = rest.indexOf('?');
        String place = question < 0 ? rest : rest.substring(0, question);
        Map<String, String> parameters = parameters(question < 0 ? "" : rest.substring(question + 1));
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        String database = slash < 0 ? "" : decoded(place.substring(slash + 1));
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            login(authority.substring(0, at), parameters);
        }
        String hosts = authority.substring(at + 1);
        @Nullable String moved = parameters.remove("host");
        hosts = hosts.isEmpty() && moved != null ? bracketed(moved) : hosts;
        refuseSocket(decoded(hosts));
        checkPorts(hosts);
        @Nullable String named = parameters.remove("PGDBNAME");
        if (database.isEmpty()) {
            database = named != null
                    ? named
                    : parameters.getOrDefault("user", System.getProperty("user.name", "postgres"));
        }
        return new DatabaseUrl(hosts.isEmpty() ? "localhost" : hosts, database, checked(parameters));
    }

    private static void login(String text, Map<String, String> parameters) {
        int colon = text.indexOf(':');
        parameters.putIfAbsent("user", decoded(colon < 0 ? text : text.substring(0, colon)));
        if (colon >= 0) {
            parameters.putIfAbsent("password", decoded(text.substring(colon + 1)));
        }
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
                parameters.put(RENAMED.getOrDefault(name, name), value);
            }
        }
        if ("read-write".equals(parameters.get("target_session_attrs"))
                || "primary".equals(parameters.get("target_session_attrs"))) {
            parameters.remove("target_session_attrs");
            parameters.put("targetServerType", "primary");
        }
        return parameters;
    }

    private static Map<String, String> checked(Map<String, String> parameters) {
        parameters.forEach((name, value) -> {
            if (PLUGINS.contains(name.toLowerCase(Locale.ROOT))) {
                throw refused("has the parameter " + name + ", which loads a class; remove it");
            }
            if (name.equalsIgnoreCase("preferQueryMode")
                    && value.toLowerCase(Locale.ROOT).startsWith("simple")) {
                throw refused("has preferQueryMode=simple, which puts values into the text of statements; remove it");
            }
            if (PGProperty.forName(name) == null) {
                throw refused("has the unknown parameter '" + name + "'" + Suggestion.hint(name, known()));
            }
        });
        return parameters;
    }

    private static Set<String> known() {
        return Arrays.stream(PGProperty.values()).map(PGProperty::getName).collect(Collectors.toSet());
    }

    private static void checkPorts(String hosts) {
        for (String host : hosts.split(",", -1)) {
            int colon = host.lastIndexOf(':');
            boolean hasPort = colon > host.lastIndexOf(']') && colon >= 0;
            if (hasPort && !host.substring(colon + 1).matches("[0-9]{1,5}")) {
                throw refused("has the port '" + host.substring(colon + 1)
                        + "', which is not a number. Check that no @ or / is missing"
                        + " before it, and that special characters in the password are percent-encoded (@ is %40)");
            }
        }
    }

    private static void refuseSocket(String host) {
        if (host.startsWith("/")) {
            throw PostriderException.refused(
                    "host '" + host + "' is a Unix socket, which Java cannot use; give a host name such as localhost");
        }
    }

    /** Opens a new connection each time, without a pool. */
    public DataSource dataSource(String applicationName) {
        // A pooler may not support prepared statements, and a command gains nothing by them.
        return dataSource(applicationName, Map.of("prepareThreshold", "0"));
    }

    /** Opens a new connection each time, without a pool; with these driver parameters, unless the URL overrides them. */
    public DataSource dataSource(String applicationName, Map<String, String> defaults) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        StringBuilder url = new StringBuilder("jdbc:postgresql://" + hosts + "/" + encoded(database) + "?");
        parameters.forEach((name, value) -> {
            if (!name.equals("user") && !name.equals("password")) {
                url.append(encoded(name)).append('=').append(encoded(value)).append('&');
            }
        });
        if (!parameters.containsKey("ApplicationName")) {
            url.append("ApplicationName=").append(encoded(applicationName)).append('&');
        }
        new TreeMap<>(defaults).forEach((name, value) -> {
            if (!parameters.containsKey(name)) {
                url.append(name).append('=').append(value).append('&');
            }
        });
        url.append("tcpKeepAlive=true");
        source.setURL(url.toString());
        @Nullable String user = parameters.get("user");
        if (user != null) {
            source.setUser(user);
        }
        @Nullable String password = parameters.get("password");
        if (password != null) {
            source.setPassword(password);
        }
        return source;
    }

    /** For display, without the password. */
    @Override
    public String toString() {
        @Nullable String user = parameters.get("user");
        return "postgres://" + (user == null ? "" : user + "@") + hosts + "/" + database;
    }

    private static String bracketed(String host) {
        return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isBlank();
    }

    private static void put(Map<String, String> parameters, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            parameters.put(name, value);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** A plus sign stays a plus sign: this is not form encoding. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw refused("has a % that does not begin an escape such as %40");
        }
    }

    private static PostriderException refused(String why) {
        return PostriderException.refused("the database URL " + why);
    }
}
