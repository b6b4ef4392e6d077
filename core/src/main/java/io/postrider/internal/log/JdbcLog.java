package io.postrider.internal.log;

import io.postrider.LogEvent;
import io.postrider.admin.Log;
import io.postrider.admin.Subscription;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The log in the database. Thread-safe. */
public final class JdbcLog implements Log, AutoCloseable {
    private static final Sql TOPICS = Sql.file("log/topics");
    private static final Sql IS_TOPIC = Sql.file("log/is_topic");
    private static final Sql SEQUENCE = Sql.file("sequence/sequence");

    /** Events in one pass. */
    private static final int PASS = 20_000;

    private final Database database;
    private final Heads heads;
    private final LogReader reader;
    private final Map<TopicSubscription, Boolean> follows = new ConcurrentHashMap<>();

    public JdbcLog(Database database, Heads heads) {
        this.database = database;
        this.heads = heads;
        this.reader = new LogReader(database);
    }

    @Override
    public long head(String topic) {
        return database.autocommit(session -> reader.head(session, topic));
    }

    @Override
    public long oldest(String topic) {
        return database.autocommit(session -> LogReader.oldest(session, topic));
    }

    @Override
    public List<LogEvent> read(String topic, long after, int most) {
        return database.autocommit(
                session -> reader.read(session, topic, after, most).events());
    }

    @Override
    public List<String> topics(int most) {
        return database.autocommit(
                session -> session.query(TOPICS, bind -> bind.int4("most", most), row -> row.text("topic")));
    }

    @Override
    public boolean hasTopic(String topic) {
        return database.autocommit(
                        session -> session.one(IS_TOPIC, bind -> bind.text("name", topic), row -> row.bool("there")))
                .orElse(false);
    }

    @Override
    public void sequence() {
        // A transaction for each pass: it makes sure of READ COMMITTED, which a pass needs.
        while (database.transaction(
                        session -> session.one(SEQUENCE, bind -> bind.int4("most", PASS), row -> row.bool("more")))
                .orElse(false)) {
            // until nothing is left that was committed when the pass began
        }
    }

    @Override
    public Subscription follow(String topic, long after, List<LogEvent> before, Follower follower) {
        TopicSubscription.Start start = new TopicSubscription.Start(topic, after, before);
        TopicSubscription follow = new TopicSubscription(database, heads, reader, start, follower, follows::remove);
        follows.put(follow, true);
        follow.start();
        return follow;
    }

    /** Ends all following. */
    @Override
    public void close() {
        follows.keySet().forEach(TopicSubscription::close);
    }
}
