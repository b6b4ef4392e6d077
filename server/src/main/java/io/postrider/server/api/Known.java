package io.postrider.server.api;

import io.postrider.db.Database;
import io.postrider.db.Sql;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Topics and queues that there are: the settings name them, or somebody has written to them, listens to them or works on them. */
final class Known {
    private static final Sql IS_TOPIC = Sql.file("server/is_topic");
    private static final Sql IS_QUEUE = Sql.file("server/is_queue");

    private final Database database;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> queues = ConcurrentHashMap.newKeySet();

    Known(Database database) {
        this.database = database;
    }

    boolean topic(String topic) {
        return isThere(topics, IS_TOPIC, topic);
    }

    boolean queue(String queue) {
        return isThere(queues, IS_QUEUE, queue);
    }

    /** One that is being made: before it has a position nobody else could tell. */
    void addTopic(String topic) {
        topics.add(topic);
    }

    void addQueue(String queue) {
        queues.add(queue);
    }

    private boolean isThere(Set<String> found, Sql sql, String name) {
        if (found.contains(name)) {
            return true;
        }
        boolean there = database.autocommit(
                        session -> session.one(sql, bind -> bind.text("name", name), row -> row.bool("there")))
                .orElse(false);
        if (there) {
            found.add(name);
        }
        return there;
    }
}
