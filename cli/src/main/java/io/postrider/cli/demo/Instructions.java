package io.postrider.cli.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The commands to type in another terminal: complete at any screen width, and without the password. */
final class Instructions {
    private static final List<String> OTHERS = List.of(
            "listeners",
            "pause mail",
            "resume mail",
            "queues list",
            "jobs list parcels",
            "queues pause parcels",
            "queues resume parcels",
            "dead-letters list",
            "dead-letters replay --all",
            "doctor",
            "verify");

    private final List<String> exports;
    private final String command;

    /** @param password the file with the password, readable only by the user who started the demo */
    Instructions(int port, String user, String database, Path password, String command) {
        this.exports = List.of(
                "export",
                "PGHOST=127.0.0.1",
                "PGPORT=" + port,
                "PGUSER=" + user,
                "PGDATABASE=" + database,
                "PGPASSWORD=$(cat " + quoted(password) + ")");
        this.command = command;
    }

    /**
     * Breaks lines at spaces with a backslash, so that they can be copied from a narrow screen too.
     *
     * @param most maximum number of lines for the list of other commands
     */
    List<String> lines(int width, int most) {
        List<String> lines = new ArrayList<>(broken(exports, width));
        lines.add(command + " tail orders --follow");
        packed(width).stream().limit(most).forEach(lines::add);
        return lines;
    }

    private static List<String> broken(List<String> words, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            if (line.length() > 0 && line.length() + word.length() + 3 > width) {
                lines.add(line + " \\");
                line = new StringBuilder("  ").append(word);
            } else {
                line.append(line.length() == 0 ? "" : " ").append(word);
            }
        }
        lines.add(line.toString());
        return lines;
    }

    /** The other commands, several on a line; not separated by a bar, which a shell would interpret as a pipe. */
    private static List<String> packed(int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder("or:");
        for (String one : OTHERS) {
            if (line.length() + one.length() + 4 > width) {
                lines.add(line.toString());
                line = new StringBuilder("   ");
            }
            line.append(line.length() > 3 ? " · " : " ").append(one);
        }
        lines.add(line.toString());
        return lines;
    }

    private static String quoted(Path path) {
        String text = path.toString();
        return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
