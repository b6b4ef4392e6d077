package io.postrider.proof.faults;

import io.postrider.proof.faults.Load.Fate;
import io.postrider.proof.faults.Load.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Compares what producers remember and what listeners wrote with the log. It uses its own SQL: the library's verifier could be
 * wrong in the same way as the library.
 */
public final class Audit {
    private static final String DRAINED = """
            select (select count(*) from postrider.event where topic = ?)
                 = (select coalesce(max(position), 0) from postrider.head where topic = ?)
              and not exists (select from postrider.listeners where topic = ? and (lag > 0 or setbacks > 0))
            """;

    private final DataSource dataSource;
    private final String topic;

    public Audit(DataSource dataSource, String topic) {
        this.dataSource = dataSource;
        this.topic = topic;
    }

    /** Whether every event has its position and every listener of the topic has handled it. */
    public boolean isDrained() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(DRAINED)) {
            for (int i = 1; i <= 3; i++) {
                statement.setString(i, topic);
            }
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }

    /** All errors found; empty if there are none. */
    public List<String> violations(List<Transaction> transactions) throws SQLException {
        List<String> wrong = new ArrayList<>(ofProducers(transactions));
        wrong.addAll(ofLog());
        wrong.addAll(ofLedgers());
        wrong.addAll(ofTraces());
        return wrong;
    }

    /** Checks what the producers know: committed events exist, rolled-back events do not, and transactions are atomic. */
    public List<String> ofProducers(List<Transaction> transactions) throws SQLException {
        Set<UUID> there = events();
        List<String> wrong = new ArrayList<>();
        int known = 0;
        for (Transaction transaction : transactions) {
            List<UUID> kept = transaction.kept();
            long found = kept.stream().filter(there::contains).count();
            known += (int) found;
            boolean all = found == kept.size();
            boolean none = found == 0;
            boolean right = switch (transaction.fate()) {
                case COMMITTED -> all;
                case ROLLED_BACK -> none;
                case COMMITTED_LAZILY, UNKNOWN -> all || none;
            };
            if (!right) {
                wrong.add(
                        transaction.fate() + " but " + found + " of its " + kept.size() + " events are there: " + kept);
            }
            if (transaction.undone().stream().anyMatch(there::contains)) {
                wrong.add("an event of a savepoint that was rolled back is there: " + transaction.undone());
            }
        }
        if (known != there.size()) {
            wrong.add(there.size() + " events are there, but producers know of " + known);
        }
        return wrong;
    }

    /**
     * Each event has one position, positions have no gaps, transactions are complete, and the numbers of a key increase by one.
     */
    public List<String> ofLog() throws SQLException {
        List<String> wrong = new ArrayList<>();
        wrong.addAll(rows("event without a position", """
                select e.event_id::text from postrider.event e
                where e.topic = ? and not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id)
                """));
        wrong.addAll(rows("event with several positions", """
                select tx || '/' || id || ' at ' || array_agg(position)::text from postrider.log
                where topic = ? group by tx, id having count(*) > 1
                """));
        wrong.addAll(rows("position without its event", """
                select l.position::text from postrider.log l
                where l.topic = ?
                and not exists (select from postrider.event e where e.tx = l.tx and e.id = l.id and e.topic = l.topic)
                """));
        wrong.addAll(rows("positions are not 1..head", """
                select count(*) || ' positions, ' || count(distinct position) || ' different, ' || min(position) || '..'
                  || max(position) || ', head ' || coalesce(max(h.head)::text, 'none')
                from postrider.log,
                  (select max(position) as head from postrider.head where topic = ?) h
                where topic = ?
                having count(*) <> count(distinct position) or min(position) <> 1 or max(position) <> count(*)
                or max(position) is distinct from max(h.head)
                """));
        wrong.addAll(rows("transaction torn apart", """
                select l.tx || ' at ' || min(l.position) || '..' || max(l.position) || ', ' || count(*) || ' events'
                from postrider.log l
                where l.topic = ? and l.id > (select max(high) from postrider.era)
                group by l.tx having max(l.position) - min(l.position) + 1 <> count(*)
                """));
        wrong.addAll(rows("key does not count up", """
                select s.key || ' at position ' || s.position || ': ' || s.n || ' as number ' || s.place
                from (
                  select e.key, l.position, (e.payload ->> 'n')::bigint as n,
                    row_number() over (partition by e.key order by l.position) as place
                  from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
                  where l.topic = ? and e.type = 'counted'
                ) s
                where s.n <> s.place
                """));
        return wrong;
    }

    /** Each range begins where the previous one ended, and the last ended at the head. No event is set back or dead. */
    public List<String> ofLedgers() throws SQLException {
        List<String> wrong = new ArrayList<>();
        wrong.addAll(rows("ledger is broken", """
                select s.listener || ' went on at ' || s.from_position || ' after ' || s.before
                from (
                  select d.listener, d.from_position, lag(d.to_position) over (partition by d.listener order by d.n) as before
                  from postrider.delivery d join postrider.listener r on r.name = d.listener and r.topic = ?
                ) s
                where s.from_position > 0 and s.from_position <> s.before + 1
                """));
        wrong.addAll(rows("listener is not at the head", """
                select name || ' at ' || position || ' of ' || head || ', setbacks ' || setbacks || ', dead ' || dead_letters
                from postrider.listeners
                where topic = ? and (position <> head or setbacks > 0 or dead_letters > 0)
                """));
        return wrong;
    }

    /** Effects: exactly once, in the order of positions. Sent: at least once, and the first time in that order. */
    public List<String> ofTraces() throws SQLException {
        List<String> wrong = new ArrayList<>();
        wrong.addAll(rows("not exactly one effect", """
                select l.position || ': ' || count(t.n) || ' ' || coalesce(array_agg(t.worker)::text, '')
                from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
                left join effect t on t.position = l.position and t.event_id = e.event_id
                where l.topic = ? group by l.position having count(t.n) <> 1
                """));
        wrong.addAll(rows("effect of nothing", """
                select t.position::text from effect t
                where not exists (
                  select from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
                  where l.topic = ? and l.position = t.position and e.event_id = t.event_id)
                """));
        wrong.addAll(rows("tally is wrong", """
                select t.n || ' for ' || e.n from tally t, (select count(*) as n from effect) e
                where t.n <> e.n and ?::text is not null
                """));
        wrong.addAll(rows("effects out of order", """
                select s.before || ' then ' || s.position
                from (select position, lag(position) over (order by n) as before from effect) s
                where s.position <= s.before and ?::text is not null
                """));
        wrong.addAll(rows("never sent", """
                select l.position::text from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
                where l.topic = ? and not exists (
                  select from sent t where t.position = l.position and t.event_id = e.event_id)
                """));
        wrong.addAll(rows("sent out of order", """
                select s.before || ' then ' || s.position
                from (
                  select s.position, lag(s.position) over (order by s.first) as before
                  from (select position, min(n) as first from sent group by position) s
                ) s
                where s.position <> coalesce(s.before, 0) + 1 and ?::text is not null
                """));
        return wrong;
    }

    private Set<UUID> events() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("select event_id from postrider.event where topic = ?")) {
            statement.setString(1, topic);
            Set<UUID> events = new HashSet<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    events.add(result.getObject(1, UUID.class));
                }
            }
            return events;
        }
    }

    /** The first few results of a query; every parameter is the topic. */
    private List<String> rows(String what, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql + " limit 10")) {
            for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                statement.setString(i, topic);
            }
            List<String> found = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    found.add(what + ": " + result.getString(1));
                }
            }
            return found;
        }
    }

    /** The number of transactions per outcome, for the test's output. */
    public static String summary(List<Transaction> transactions) {
        StringBuilder text = new StringBuilder();
        for (Fate fate : Fate.values()) {
            long count = transactions.stream().filter(one -> one.fate() == fate).count();
            text.append(fate.name().toLowerCase(java.util.Locale.ROOT))
                    .append('=')
                    .append(count)
                    .append(' ');
        }
        return text.toString().trim();
    }
}
