package io.postrider.livechat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A process of the chat, in this one: a pool, a node, and the chat on it. */
final class Node implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final HikariDataSource pool;
    final Postrider postrider;
    final LiveChat chat;
    final Ingestion ingestion;

    private Node(TestDatabase database, boolean works) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(2);
        pool = new HikariDataSource(config);
        postrider = Postrider.on(pool, Options.defaults().withNode("node-" + NUMBER.incrementAndGet()));
        postrider.migrate();
        chat = LiveChat.on(postrider, pool).install();
        ingestion = chat.ingestion();
        if (works) {
            chat.listeners().forEach(postrider::add);
            chat.workers().forEach(postrider::add);
        }
        postrider.start();
    }

    /** One that saves messages and answers. */
    static Node working(TestDatabase database) {
        return new Node(database, true);
    }

    /** One that only takes messages. */
    static Node taking(TestDatabase database) {
        return new Node(database, false);
    }

    static NewMessage visitorSays(String visitor, String text) {
        return visitorSays(visitor, "c-" + UUID.randomUUID(), text);
    }

    static NewMessage visitorSays(String visitor, String client, String text) {
        Author author = new Author(Author.Kind.VISITOR, visitor, Names.of(visitor));
        return new NewMessage(LiveChat.PROJECT, author, null, client, text, false, null);
    }

    static NewMessage pilotSays(String visitor, String client) {
        Author author = new Author(Author.Kind.VISITOR, visitor, Names.of(visitor));
        return new NewMessage(LiveChat.PROJECT, author, null, client, "pilot " + client, true, null);
    }

    String queue(NewMessage message) {
        return ingestion.accept(List.of(message)).get(0);
    }

    long count(String fromWhere) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return Rows.one(connection, "select count(*) as n from " + fromWhere, row -> row.getLong("n"))
                    .orElseThrow();
        }
    }

    List<String> texts(String sql) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return Rows.query(connection, sql, row -> String.valueOf(row.getString(1)));
        }
    }

    void run(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Everything the chat keeps, and the events of its topic, with or without a position. */
    Map<String, Long> all() throws SQLException {
        return Map.of(
                "visitors", count("livechat.visitor"),
                "conversations", count("livechat.conversation"),
                "messages", count("livechat.message"),
                "events", count("postrider.event where topic = 'chat'"));
    }

    @Override
    public void close() {
        chat.close();
        postrider.close();
        pool.close();
    }
}
