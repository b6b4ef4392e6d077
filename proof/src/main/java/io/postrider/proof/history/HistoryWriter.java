package io.postrider.proof.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Writer;
import java.net.URLEncoder;
import java.util.List;

/** Writes the lines that {@link HistoryFile} describes. */
final class HistoryWriter {
    private final Writer out;

    HistoryWriter(Writer out) {
        this.out = out;
    }

    void write(History history) throws IOException {
        out.write(HistoryFile.FIRST_LINE + "\n");
        for (Transaction transaction : history.transactions()) {
            write(transaction);
        }
        for (TopicLog log : history.logs()) {
            line("log", name(log.topic()), log.base());
            writePlaces("at", log.readings());
        }
        for (ListenerHistory listening : history.listeners()) {
            write(listening);
        }
        line("end");
        out.flush();
    }

    private void write(Transaction transaction) throws IOException {
        Commit commit = transaction.commit();
        line("tx", transaction.number(), commit.outcome(), transaction.xid(), commit.number(), commit.began());
        for (KeyVersion lock : transaction.locks()) {
            line("lock", name(lock.key()), lock.version());
        }
        Visibility last = Visibility.NOTHING;
        for (EmittedEvent emitted : transaction.events()) {
            if (!emitted.sight().equals(last)) {
                last = emitted.sight();
                write(last);
            }
            write(emitted);
        }
    }

    private void write(Visibility sight) throws IOException {
        List<KeyVersion> keys = sight.keys();
        Object[] fields = new Object[1 + 2 * keys.size()];
        fields[0] = sight.snapshot();
        for (int i = 0; i < keys.size(); i++) {
            fields[1 + 2 * i] = name(keys.get(i).key());
            fields[2 + 2 * i] = keys.get(i).version();
        }
        line("sight", fields);
    }

    private void write(EmittedEvent emitted) throws IOException {
        KeyVersion key = emitted.key();
        line(
                "emit",
                emitted.event(),
                name(emitted.topic()),
                name(key.key()),
                key.version(),
                emitted.databaseId(),
                emitted.undone() ? "undone" : "kept");
    }

    private void write(ListenerHistory listening) throws IOException {
        ListenerHistory.Reader reader = listening.reader();
        line(
                "listener",
                name(reader.name()),
                name(reader.topic()),
                reader.startAfter(),
                listening.finished() ? "finished" : "running",
                listening.effects().isPresent() ? "transactional" : "plain");
        Readings handled = listening.handled();
        for (int i = 0; i < handled.size(); i++) {
            line("handled", handled.attempt(i), handled.position(i), handled.event(i), handled.at(i));
        }
        if (listening.effects().isPresent()) {
            writePlaces("effect", listening.effects().get());
        }
    }

    private void writePlaces(String kind, Readings readings) throws IOException {
        for (int i = 0; i < readings.size(); i++) {
            line(kind, readings.position(i), readings.event(i));
        }
    }

    private void line(String kind, Object... fields) throws IOException {
        out.write(kind);
        for (Object field : fields) {
            out.write('\t');
            out.write(field.toString());
        }
        out.write('\n');
    }

    private static String name(String name) {
        return URLEncoder.encode(name, UTF_8);
    }
}
