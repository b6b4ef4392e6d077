package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Event;
import io.postrider.Node;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Psql;
import io.postrider.admin.Migrations.Uninstall;
import io.postrider.admin.Topics.Requirement;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

/** An uninstall leaves nothing: neither in the database nor in the cluster. */
@PostgresTest
class UninstallTest {
    private static final String LEFT = "select (select count(*) from pg_namespace where nspname = 'postrider')"
            + " + (select count(*) from pg_roles where rolname = 'postrider_reader_' || current_database())"
            + " + (select count(*) from pg_class where relname like '%postrider%')"
            + " + (select count(*) from pg_proc where prosrc like '%postrider%' and pronamespace <> 'pg_catalog'::regnamespace)"
            + " + (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase"
            + " where d.datname = current_database())";

    private final TestDatabase database;

    UninstallTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void everything_that_a_migration_created_is_removed_and_it_can_be_installed_again() {
        Postrider postrider = Postrider.on(database.dataSource());
        postrider.migrate();
        try (Node node = new Node(database);
                Psql psql = new Psql(database)) {
            node.postrider.topics().require(Requirement.none("chat").withUserId());
            node.emit(Event.of("orders", "a", "{}"));
            psql.execute("create view public.orders_seen as select * from postrider.events");
            assertThat(psql.number(LEFT)).isGreaterThan(1);
            Uninstall plan = postrider.migrations().uninstallPlan();
            assertThat(plan.role()).isEqualTo("postrider_reader_" + database.name());
            assertThat(plan.dependents()).singleElement().asString().contains("orders_seen");
            assertThat(psql.number("select count(*) from public.orders_seen")).isZero();

            Uninstall done = postrider.migrations().uninstall();
            assertThat(done.roleKept()).isNull();
            assertThat(psql.number(LEFT)).isZero();
            assertThat(psql.text("select to_regclass('public.orders_seen')::text"))
                    .isNull();
            postrider.migrate();
            node.emit(Event.of("chat", "a", "{}"));
        }
    }

    @Test
    void it_is_refused_while_a_node_runs_and_without_a_schema() {
        Postrider postrider = Postrider.on(database.dataSource());
        assertThatThrownBy(() -> postrider.migrations().uninstall())
                .isInstanceOfSatisfying(
                        PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
        try (Node node = new Node(database)) {
            node.postrider.start();
            node.leaderPid();
            assertThatThrownBy(() -> postrider.migrations().uninstall())
                    .isInstanceOfSatisfying(
                            PostriderException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessageContaining("nodes are running: pid=");
        }
        postrider.migrations().uninstall();
    }

    @Test
    void a_role_with_rights_elsewhere_stays_and_the_result_says_why() {
        Postrider postrider = Postrider.on(database.dataSource());
        postrider.migrate();
        try (Psql psql = new Psql(database)) {
            psql.execute("create table public.mine (a int)");
            psql.execute("grant select on public.mine to \"postrider_reader_" + database.name() + "\"");
            Uninstall done = postrider.migrations().uninstall();
            assertThat(done.roleKept()).contains("cannot be dropped because some objects depend on it");
            assertThat(psql.text("select to_regnamespace('postrider')::text")).isNull();
            psql.execute("drop table public.mine; drop role \"postrider_reader_" + database.name() + "\"");
        }
    }
}
