package io.postrider.livechat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Checks in the database what became of acknowledged messages. It trusts no page and no worker: it
 * counts rows of {@code livechat.message} and events of the log.
 */
final class Ledger {
    /** Of each of its three statements: an old position makes it read the whole log of the chat. */
    static final Duration DEADLINE = Duration.ofSeconds(2);

    /** count(*), although the unique key prevents duplicates: the counter must not assume what it is meant to show. */
    private static final String COUNT = "select a.client, coalesce(s.n, 0) as saved, coalesce(e.n, 0) as emitted,"
            + " e.position from unnest(?) a (client)"
            + " left join (select m.client_id, count(*) as n from livechat.message m"
            + "  where m.author_kind = 'visitor' and m.author_id = ? and m.client_id = any (?) group by 1) s"
            + "  on s.client_id = a.client"
            + " left join (select e.payload ->> 'client' as client, count(*) as n, max(e.position) as position"
            + "  from postrider.events e where e.topic = ? and e.position > ? and e.type = ?"
            + "  and e.payload -> 'author' ->> 'id' = ? group by 1) e on e.client = a.client";

    private final DataSource dataSource;
    private final Ingestion ingestion;

    Ledger(DataSource dataSource, Ingestion ingestion) {
        this.dataSource = dataSource;
        this.ingestion = ingestion;
    }

    /** A message that was acknowledged: its id, and the receipt that came with the answer. */
    record Promise(String id, String receipt) {}

    /**
     * The state of one message.
     *
     * @param saved number of rows
     * @param emitted number of events
     * @param position of the last event; null: there is none, or it has no position yet
     * @param lost whether it is not saved, and neither a job nor the stream holds it any more
     */
    record Entry(
            String id, long saved, long emitted, @Nullable Long position, boolean lost) {}

    /** @param after the position after which to search for events */
    List<Entry> look(Guest guest, List<Promise> promises, long after) throws SQLException {
        Map<String, String> receipts = new HashMap<>();
        promises.forEach(promise -> receipts.put(promise.id(), promise.receipt()));
        List<Entry> entries = count(guest, List.copyOf(receipts.keySet()), after);
        List<String> unsaved = entries.stream()
                .filter(entry -> entry.saved() == 0)
                .map(Entry::id)
                .toList();
        if (unsaved.isEmpty()) {
            return entries;
        }
        Set<String> held = ingestion.held(
                unsaved.stream().map(id -> String.valueOf(receipts.get(id))).toList());
        List<String> suspects = unsaved.stream()
                .filter(id -> !held.contains(String.valueOf(receipts.get(id))))
                .toList();
        return suspects.isEmpty() ? entries : lookAgain(guest, entries, suspects, after);
    }

    /** A message may have been saved between the two checks. It is lost only if nothing held it and it is still missing. */
    private List<Entry> lookAgain(Guest guest, List<Entry> entries, List<String> suspects, long after)
            throws SQLException {
        Map<String, Entry> again = new HashMap<>();
        for (Entry entry : count(guest, suspects, after)) {
            again.put(
                    entry.id(),
                    new Entry(entry.id(), entry.saved(), entry.emitted(), entry.position(), entry.saved() == 0));
        }
        List<Entry> all = new ArrayList<>();
        entries.forEach(entry -> all.add(again.getOrDefault(entry.id(), entry)));
        return all;
    }

    private List<Entry> count(Guest guest, List<String> ids, long after) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Rows.queryWithin(
                    connection,
                    DEADLINE,
                    COUNT,
                    row -> new Entry(
                            row.getString("client"),
                            row.getLong("saved"),
                            row.getLong("emitted"),
                            row.getObject("position", Long.class),
                            false),
                    ids,
                    guest.user(),
                    ids,
                    LiveChat.TOPIC,
                    after,
                    LiveChat.CREATED,
                    guest.user());
        }
    }
}
