package io.postrider.cli.demo;

import io.postrider.ClaimedJob;
import io.postrider.Event;
import io.postrider.Job;
import io.postrider.LogEvent;
import io.postrider.Postrider;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** The demo's application: a shop that writes each order as a row with its event and its job; its ledger and its parcels. */
final class Shop {
    static final String TOPIC = "orders";
    static final String PLACED = "order.placed";
    static final String PAID = "order.paid";

    private static final String TABLES = """
            create schema if not exists shop;
            create table if not exists shop.orders (
              event_id uuid primary key, run text not null, customer text not null, what text not null, cents bigint not null);
            create table if not exists shop.ledger (
              position bigint not null, event_id uuid not null, run text, cents bigint not null);
            alter table shop.orders add column if not exists job_id uuid;
            create table if not exists shop.parcels (
              event_id uuid not null, job_id uuid not null, run text)""";

    private final DataSource dataSource;
    private final String run;

    /** @param run distinguishes this run's rows from those of other runs on the same data */
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

    /** Writes the row, its event and its job in the caller's transaction. */
    UUID order(Postrider postrider, Connection connection, String customer, String what, long cents)
            throws SQLException {
        Event event = Event.of(TOPIC, what, "{\"customer\":\"" + customer + "\",\"cents\":" + cents + "}")
                .withKey(customer)
                .withProject(run);
        Optional<Job> job = DemoWorkers.jobFor(event);
        try (PreparedStatement insert =
                connection.prepareStatement("insert into shop.orders values (?, ?, ?, ?, ?, ?)")) {
            insert.setObject(1, event.id());
            insert.setString(2, run);
            insert.setString(3, customer);
            insert.setString(4, what);
            insert.setLong(5, cents);
            insert.setObject(6, job.map(one -> one.event().id()).orElse(null), Types.OTHER);
            insert.executeUpdate();
        }
        job.ifPresent(one -> postrider.enqueue(connection, one));
        return postrider.emit(connection, event);
    }

    /** The ledger's listener, in the transaction that moves its cursor. The cursor prevents duplicates, not a unique key. */
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

    /** The packers' worker, in the transaction that settles its job. No unique key prevents duplicates here either. */
    static void pack(Connection connection, ClaimedJob job) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into shop.parcels values ((?::jsonb ->> 'order')::uuid, ?, ?)")) {
            insert.setString(1, job.payload());
            insert.setObject(2, job.id());
            insert.setString(3, job.projectId());
            insert.executeUpdate();
        }
    }

    /** Compares the ledger with the orders. */
    Books books() throws SQLException {
        return new Books(
                number("select count(*) from shop.orders o where o.run = ?"),
                number("select coalesce(sum(cents), 0) from shop.orders where run = ?"),
                number("select coalesce(sum(cents), 0) from shop.ledger where run = ?"),
                effects("shop.ledger", without("shop.ledger")));
    }

    /** Compares the parcels with the placed orders. An order is not lost while its job exists: waiting, dead or cancelled. */
    Parcels parcels() throws SQLException {
        // materialized, so that jobs are looked up only for orders without a parcel
        String jobs = "with unpacked as materialized (" + without("shop.parcels") + " and o.what = '" + PLACED + "')"
                + " select coalesce((select j.state from postrider.jobs j where j.id = u.job_id), 'DONE') as state"
                + " from unpacked u";
        return new Parcels(
                number("select count(*) from shop.orders o where o.run = ? and o.what = '" + PLACED + "'"),
                number("select count(*) from shop.parcels p where p.run = ?"),
                number("select count(*) from (" + jobs + ") j where j.state <> 'DONE'"),
                effects("shop.parcels", "select from (" + jobs + ") j where j.state = 'DONE'"));
    }

    /** Orders without a row in a table. */
    private static String without(String table) {
        return "select o.* from shop.orders o where o.run = ? and not exists (select from " + table
                + " x where x.event_id = o.event_id)";
    }

    private Effects effects(String table, String lost) throws SQLException {
        return new Effects(
                number("select count(*) from (" + lost + ") l"),
                number("select coalesce(sum(n - 1), 0) from (select count(*) as n from " + table
                        + " x where x.run = ? group by x.event_id having count(*) > 1) d"),
                number("select count(*) from " + table + " x where x.run = ?"
                        + " and not exists (select from shop.orders o where o.event_id = x.event_id)"));
    }

    /** The number of orders of this and earlier runs; once the log has all of them, its head is at least this number. */
    long orders() throws SQLException {
        return number("select count(*) from shop.orders where ? is not null");
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
     * Compares orders with a table in which each of them must appear once.
     *
     * @param lost committed orders that are missing in it
     * @param duplicates orders that appear more than once
     * @param ghosts rows of orders whose transaction was rolled back
     */
    record Effects(long lost, long duplicates, long ghosts) {
        boolean isRight() {
            return lost == 0 && duplicates == 0 && ghosts == 0;
        }
    }

    /** The result for all orders in the ledger. */
    record Books(long orders, long ordered, long booked, Effects effects) {
        boolean isRight() {
            return effects.isRight() && ordered == booked;
        }
    }

    /**
     * The result for the placed orders.
     *
     * @param waiting orders without a parcel whose job is not done
     */
    record Parcels(long orders, long packed, long waiting, Effects effects) {}
}
