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

/** The application of the demo: a shop whose orders are rows, each written with its event and its job; its ledger, its parcels. */
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

    /** The row, its event and its job, in the caller's transaction. */
    UUID order(Postrider postrider, Connection connection, String customer, String what, long cents)
            throws SQLException {
        Event event = Event.of(TOPIC, what, "{\"customer\":\"" + customer + "\",\"cents\":" + cents + "}")
                .withKey(customer)
                .withProject(run);
        Optional<Job> job = Depot.jobFor(event);
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

    /** What the packers' worker does, in the transaction that settles its job: no key makes this safe either. */
    static void pack(Connection connection, ClaimedJob job) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into shop.parcels values ((?::jsonb ->> 'order')::uuid, ?, ?)")) {
            insert.setString(1, job.payload());
            insert.setObject(2, job.id());
            insert.setString(3, job.projectId());
            insert.executeUpdate();
        }
    }

    /** Holds the ledger against the orders. */
    Books books() throws SQLException {
        return new Books(
                number("select count(*) from shop.orders o where o.run = ?"),
                number("select coalesce(sum(cents), 0) from shop.orders where run = ?"),
                number("select coalesce(sum(cents), 0) from shop.ledger where run = ?"),
                effects("shop.ledger", without("shop.ledger")));
    }

    /** Holds the parcels against the orders placed. Nothing is lost while its job is there: waiting, dead or cancelled. */
    Parcels parcels() throws SQLException {
        // materialized, so that a job is looked up for each order without a parcel and not for each order
        String jobs = "with unpacked as materialized (" + without("shop.parcels") + " and o.what = '" + PLACED + "')"
                + " select coalesce((select j.state from postrider.jobs j where j.id = u.job_id), 'DONE') as state"
                + " from unpacked u";
        return new Parcels(
                number("select count(*) from shop.orders o where o.run = ? and o.what = '" + PLACED + "'"),
                number("select count(*) from shop.parcels p where p.run = ?"),
                number("select count(*) from (" + jobs + ") j where j.state <> 'DONE'"),
                effects("shop.parcels", "select from (" + jobs + ") j where j.state = 'DONE'"));
    }

    /** Orders that have had no effect in a table. */
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

    /** How many there are, of this run and those before it: the log's head is there at the least when it has them all. */
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
     * What came of orders, in a table that each of them must be in once.
     *
     * @param lost committed, and not in it
     * @param duplicates in it more than once
     * @param ghosts in it, though their transaction was rolled back
     */
    record Effects(long lost, long duplicates, long ghosts) {
        boolean isRight() {
            return lost == 0 && duplicates == 0 && ghosts == 0;
        }
    }

    /** What came of all orders in the ledger. */
    record Books(long orders, long ordered, long booked, Effects effects) {
        boolean isRight() {
            return effects.isRight() && ordered == booked;
        }
    }

    /**
     * What came of the orders placed.
     *
     * @param waiting orders without a parcel whose job is not done
     */
    record Parcels(long orders, long packed, long waiting, Effects effects) {}
}
