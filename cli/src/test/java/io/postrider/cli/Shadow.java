package io.postrider.cli;

import io.postrider.testkit.TestDatabase;

/**
 * Makes a server answer as another would: replaces functions of pg_catalog, in this database only. Nothing less works, because
 * the command pins its search_path.
 */
final class Shadow {
    private Shadow() {}

    static void version(TestDatabase database, String number, String text) {
        settings(database, "when 'server_version_num' then '" + number + "' when 'server_version' then '" + text + "'");
    }

    static void setting(TestDatabase database, String name, String value) {
        settings(database, "when '" + name + "' then '" + value + "'");
    }

    private static void settings(TestDatabase database, String cases) {
        replace(
                database,
                "create or replace function pg_catalog.real_setting(text) returns text language internal stable strict"
                        + " as 'show_config_by_name';"
                        + " create or replace function pg_catalog.current_setting(text) returns text language sql as $$ select"
                        + " case $1 " + cases + " else pg_catalog.real_setting($1) end $$");
    }

    static void standby(TestDatabase database) {
        replace(
                database,
                "create or replace function pg_catalog.pg_is_in_recovery() returns boolean language sql as 'select true'");
    }

    private static void replace(TestDatabase database, String functions) {
        Shell.execute(database, "set allow_system_table_mods = on; " + functions);
    }
}
