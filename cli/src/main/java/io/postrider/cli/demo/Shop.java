package io.postrider.cli.demo;

import io.postrider.Event;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

/** The application of the demo: a shop whose orders are rows, each written together with its event; and its ledger. */
final class Shop {
    static final String TOPIC = "orders";

    private static final String TABLES = """
            create schema if not exists shop;
            create table if not exists shop.orders (
              event_id uuid primary key, run text not null, customer text not null, what text not null, cents bigint not null);
            create table if not exists shop.ledger (
              position bigint not null, event_id uuid not null, run text, cents bigint not null)""";

    private final DataSource dataSource;
    private final String run;

    /** @param run tells this run's rows from those of others on the same data */
    Shop(DataSource dataSource, String run) {
        this.dataSource = dataSource;
        this.run = run;
    }

    void open() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLES);
        }
    }

    /** The row and its event, in the caller's transaction. */
    UUID order(Postrider postrider, Connection connection, String customer, String what, long cents)
            throws SQLException {
        Event event = Event.of(TOPIC, what, "{\"customer\":\"" + customer + "\",\"cents\":" + cents + "}")
                .withKey(customer)
                .withProject(run);
        try (PreparedStatement insert = connection.prepareStatement("insert into shop.orders values (?, ?, ?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, run);
            insert.setString(3, customer);
            insert.setString(4, what);
            insert.setLong(5, cents);
            insert.executeUpdate();
        }
        return postrider.emit(connection, event);
    }

    /** What the ledger's listener does, in the transaction that moves its cursor. No key makes it safe: the cursor does. */
    static void book(Connection connection, LogEvent event) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into shop.ledger values (?, ?, ?, coalesce((?::jsonb ->> 'cents')::bigint, 0))")) {
            insert.setLong(1, event.position());
            insert.setObject(2, event.id());
            insert.setString(3, event.projectId());
            insert.setString(4, event.payload());
            insert.executeUpdate();
        }
    }

    /** Holds the ledger against the orders. */
    Balance balance() throws SQLException {
        return new Balance(
                number("select count(*) from shop.orders where run = ?"),
                number("select count(*) from shop.orders o where o.run = ?"
                        + " and not exists (select from shop.ledger l where l.event_id = o.event_id)"),
                number("select coalesce(sum(n - 1), 0) from (select count(*) as n from shop.ledger l where l.run = ?"
                        + " group by l.event_id having count(*) > 1) d"),
                number("select count(*) from shop.ledger l where l.run = ?"
                        + " and not exists (select from shop.orders o where o.event_id = l.event_id)"),
                number("select coalesce(sum(cents), 0) from shop.orders where run = ?"),
                number("select coalesce(sum(cents), 0) from shop.ledger where run = ?"));
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, run);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    /**
     * What came of all orders.
     *
     * @param lost committed and not in the ledger
     * @param duplicates in the ledger more than once
     * @param ghosts in the ledger, though their transaction was rolled back
     */
    record Balance(long orders, long lost, long duplicates, long ghosts, long ordered, long booked) {
        boolean isRight() {
            return lost == 0 && duplicates == 0 && ghosts == 0 && ordered == booked;
        }
    }
}
