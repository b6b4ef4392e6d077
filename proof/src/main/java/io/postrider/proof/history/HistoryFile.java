package io.postrider.proof.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A history as text, so that a failed run can be checked again.
 *
 * <p>Each line is one fact: a word for its kind and its fields, separated by tabs; names are URL-encoded. Lines belong to the
 * last line that opened something:
 *
 * <pre>
 * postrider-history  1
 * tx        number  outcome  xid  commit-number  commit-began
 * lock      key  version
 * sight     snapshot  key  version  key  version …        of the events that follow in this transaction
 * emit      event  topic  key  version  database-id  kept|undone
 * log       topic  base
 * at        position  event
 * listener  name  topic  start-after  finished|running  plain|transactional
 * handled   attempt  position  event  time
 * effect    position  event
 * end                                                     a file without it was not written to its end
 * </pre>
 */
public final class HistoryFile {
    static final String FIRST_LINE = "postrider-history\t1";

    private HistoryFile() {}

    /** Writes a history to a new file, or over an old one. */
    public static void write(History history, Path file) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file, UTF_8)) {
            write(history, out);
        }
    }

    /** Writes a history as text. */
    public static void write(History history, Writer out) throws IOException {
        new HistoryWriter(out).write(history);
    }

    /** Reads a history that was written to a file. */
    public static History read(Path file) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(file, UTF_8)) {
            return read(in);
        }
    }

    /** Reads a history that was written as text. */
    public static History read(Reader in) throws IOException {
        return new HistoryReader().read(new BufferedReader(in));
    }
}
