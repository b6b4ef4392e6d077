package io.postrider.proof.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads the lines that {@link HistoryFile} describes. */
final class HistoryReader {
    private final List<Transaction> transactions = new ArrayList<>();
    private final List<TopicLog> logs = new ArrayList<>();
    private final List<ListenerHistory> listeners = new ArrayList<>();
    /** Interned names: a million events have only a few topics. */
    private final Map<String, String> names = new HashMap<>();

    private String[] fields = {};
    private int next;

    /** Completes the transaction, log or listener that the current lines belong to. */
    private Runnable close = () -> {};

    private List<KeyVersion> locks = new ArrayList<>();
    private List<EmittedEvent> events = new ArrayList<>();
    private Visibility sight = Visibility.NOTHING;
    private Readings.Collector places = new Readings.Collector();
    private Readings.Collector handled = new Readings.Collector();

    History read(BufferedReader in) throws IOException {
        if (!HistoryFile.FIRST_LINE.equals(in.readLine())) {
            throw new IOException("line 1: this is no history, or one of another version");
        }
        int number = 1;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            number++;
            fields = line.split("\t", -1);
            next = 1;
            try {
                if (fields[0].equals("end")) {
                    close.run();
                    return new History(transactions, logs, listeners);
                }
                readLine(fields[0]);
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw new IOException("line " + number + ": " + line, e);
            }
        }
        throw new IOException("the history was not written to its end: " + number + " lines and no end");
    }

    private void readLine(String kind) {
        switch (kind) {
            case "tx" -> openTransaction();
            case "lock" -> locks.add(new KeyVersion(name(), number()));
            case "sight" -> sight = sight();
            case "emit" -> events.add(emitted());
            case "log" -> openLog();
            case "at", "effect" -> places.add(number(), event());
            case "listener" -> openListener();
            case "handled" -> readHandled();
            default -> throw new IllegalArgumentException("unknown kind of line: " + kind);
        }
    }

    private void openTransaction() {
        close.run();
        int transactionNumber = (int) number();
        Outcome outcome = Outcome.valueOf(text());
        long xid = number();
        Commit commit = new Commit(outcome, number(), number());
        locks = new ArrayList<>();
        events = new ArrayList<>();
        sight = Visibility.NOTHING;
        close = () -> transactions.add(new Transaction(transactionNumber, xid, commit, locks, events));
    }

    private Visibility sight() {
        Snapshot snapshot = Snapshot.parse(text());
        List<KeyVersion> keys = new ArrayList<>();
        while (next < fields.length) {
            keys.add(new KeyVersion(name(), number()));
        }
        return new Visibility(snapshot, keys);
    }

    private EmittedEvent emitted() {
        return new EmittedEvent(
                event(), name(), new KeyVersion(name(), number()), number(), text().equals("undone"), sight);
    }

    private void openLog() {
        close.run();
        String topic = name();
        long base = number();
        places = new Readings.Collector();
        close = () -> logs.add(new TopicLog(topic, base, places.collected()));
    }

    private void openListener() {
        close.run();
        ListenerHistory.Reader reader = new ListenerHistory.Reader(name(), name(), number());
        boolean finished = text().equals("finished");
        boolean transactional = text().equals("transactional");
        places = new Readings.Collector();
        handled = new Readings.Collector();
        close = () -> listeners.add(new ListenerHistory(
                reader,
                finished,
                handled.collected(),
                transactional ? Optional.of(places.collected()) : Optional.empty()));
    }

    private void readHandled() {
        int attempt = (int) number();
        handled.add(number(), event(), attempt, number());
    }

    private String text() {
        return fields[next++];
    }

    private long number() {
        return Long.parseLong(text());
    }

    private UUID event() {
        return UUID.fromString(text());
    }

    private String name() {
        String encoded = text();
        return names.computeIfAbsent(encoded, name -> URLDecoder.decode(name, UTF_8));
    }
}
