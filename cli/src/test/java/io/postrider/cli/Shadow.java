package io.postrider.cli;

import io.postrider.testkit.TestDatabase;

/**
 * Makes a server answer as another would: functions in a schema that the database's search_path puts before pg_catalog. What
 * asks for the version by its plain name gets ours, in this database only.
 */
final class Shadow {
    private Shadow() {}

    static void version(TestDatabase database, String number, String text) {
        put(
                database,
                "create function shadow.current_setting(name text) returns text language sql as $$ select case name"
                        + " when 'server_version_num' then '" + number + "' when 'server_version' then '" + text + "'"
                        + " else pg_catalog.current_setting(name) end $$");
    }

    static void standby(TestDatabase database) {
        put(database, "create function shadow.pg_is_in_recovery() returns boolean language sql as 'select true'");
    }

    private static void put(TestDatabase database, String function) {
        Shell.execute(database, "create schema if not exists shadow");
        Shell.execute(database, function);
        Shell.execute(
                database,
                "alter database " + database.name() + " set search_path = shadow, pg_catalog, \"$user\", public");
    }
}
