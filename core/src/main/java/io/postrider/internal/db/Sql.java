package io.postrider.internal.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One statement, from one file: {@code sql/<package>/<verb>.sql}. Parameters are written {@code :name}, so that the file can be
 * tried in psql. The name {@code <package>/<verb>} precedes the text as a comment, which pg_stat_statements and pg_stat_activity
 * show.
 *
 * <p>The session's {@code search_path} decides what an unqualified operator or function is: a role that may create objects in a
 * schema on that path could make us run its code. {@link Session} therefore pins the path first, unless the
 * statement qualifies every function and type with its schema and uses no operator. Such a file has the line
 * {@code -- search_path: any}.
 */
public final class Sql {
    /** A colon that is neither part of a cast nor inside a word. */
    private static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):([a-z][a-z0-9_]*)");

    private static final String ANY_PATH = "-- search_path: any";

    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\\R?");

    private final String name;
    private final String text;
    private final List<String> parameters;
    private final boolean anyPath;

    private Sql(String name, String text, boolean anyPath) {
        this.name = name;
        this.anyPath = anyPath;
        this.parameters = new ArrayList<>();
        Matcher matcher = PARAMETER.matcher(COMMENT.matcher(text).replaceAll(""));
        StringBuilder plain = new StringBuilder("/* postrider:" + name + " */ ");
        while (matcher.find()) {
            parameters.add(matcher.group(1));
            matcher.appendReplacement(plain, "?");
        }
        matcher.appendTail(plain);
        this.text = plain.toString().strip();
    }

    /** The statement of a file, such as {@code listen/set_back}, which is also its name. */
    public static Sql file(String path) {
        String text = resource("sql/" + path + ".sql");
        return new Sql(path, text, text.lines().anyMatch(ANY_PATH::equals));
    }

    /** A statement of at most three lines, written next to its use. */
    public static Sql text(String name, String text) {
        return new Sql(name, text, false);
    }

    /** A call in which all functions and types are qualified, so that it means the same under any {@code search_path}. */
    public static Sql call(String name, String text) {
        return new Sql(name, text, true);
    }

    /** A file below {@code /postrider} in the jar. */
    public static String resource(String path) {
        try (InputStream in = Sql.class.getResourceAsStream("/postrider/" + path)) {
            if (in == null) {
                throw new IllegalStateException("no file /postrider/" + path + " in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String name() {
        return name;
    }

    /** The name without its package, which errors report as failed. */
    String verb() {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    public String text() {
        return text;
    }

    /** Whether it means the same under any {@code search_path}. */
    public boolean isForAnyPath() {
        return anyPath;
    }

    /** The names of the parameters in the order in which they occur; a name may occur several times. */
    List<String> parameters() {
        return parameters;
    }
}
