package io.postrider.cli;

import io.postrider.testkit.TestDatabase;

/** A role that may log in and no more, for a test of rights; gone with the test. */
final class Role implements AutoCloseable {
    private final TestDatabase database;
    private final String name;

    Role(TestDatabase database) {
        this.database = database;
        this.name = "role_" + database.name();
        Shell.execute(database, "create role " + name + " login password 'secret-of-a-role'");
    }

    String name() {
        return name;
    }

    Role granted(String what) {
        Shell.execute(database, "grant " + what + " to " + name);
        return this;
    }

    /** The producer's rights, as the documentation tells them. */
    Role mayEmit() {
        return granted("usage on schema postrider")
                .granted(
                        "insert (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,"
                                + " headers) on postrider.event")
                .granted("usage on sequence postrider.event_ids");
    }

    String url() {
        return "postgres://" + name + ":secret-of-a-role@127.0.0.1:"
                + database.server().port() + "/" + database.name();
    }

    @Override
    public void close() {
        Shell.execute(database, "drop owned by " + name);
        Shell.execute(database, "drop role " + name);
    }
}
