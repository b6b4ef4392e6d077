package io.postrider;

import io.postrider.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

/** A role without any grant, and a session of it. */
final class Stranger implements AutoCloseable {
    private final Psql admin;
    final String role;
    final Psql psql;
    private final PGSimpleDataSource source = new PGSimpleDataSource();

    Stranger(Psql admin, TestDatabase database) {
        this.admin = admin;
        this.role = "stranger_" + database.name();
        admin.execute("create role " + role + " login password 'secret-of-a-role'");
        source.setURL(database.jdbcUrl());
        source.setUser(role);
        source.setPassword("secret-of-a-role");
        this.psql = new Psql(source);
    }

    Psql another() {
        return new Psql(source);
    }

    List<String> heard() throws SQLException {
        psql.number("select 1");
        List<String> heard = new ArrayList<>();
        PGNotification[] all = psql.connection().unwrap(PGConnection.class).getNotifications();
        for (PGNotification one : all == null ? new PGNotification[0] : all) {
            heard.add(one.getParameter());
        }
        return heard;
    }

    @Override
    public void close() {
        psql.close();
        admin.execute("drop role " + role);
    }
}
