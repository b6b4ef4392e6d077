package io.postrider.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.admin.Migrations.Statement;
import io.postrider.internal.db.Sql;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The plan of a migration: its statements are those of the files, and its locks those that the server takes. */
@PostgresTest
class MigrationPlanTest {
    private static final String STRONG = "('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock',"
            + " 'ExclusiveLock', 'AccessExclusiveLock')";

    @Test
    void the_statements_of_a_plan_are_what_migrate_runs(TestDatabase database) {
        Postrider postrider =
                Postrider.on(database.dataSource(), Options.defaults().withSchema("acme"));
        List<Statement> plan = postrider.migrations().statements();
        assertThat(plan.stream().map(Statement::migration).distinct().toList())
                .startsWith("V001__log")
                .containsAll(Migrator.MIGRATIONS)
                .containsAll(Migrator.FUNCTIONS);
        assertThat(plan).anySatisfy(one -> {
            assertThat(one.text()).startsWith("alter table acme.queue");
            assertThat(one.locks()).containsExactly("ACCESS EXCLUSIVE on acme.queue");
        });
        assertThat(plan).noneMatch(one -> one.text().contains("postrider."));
        assertThat(database.sessions()).isEmpty();
        postrider.migrate();
        assertThat(postrider.migrations().statements()).isEmpty();
    }

    /** Runs the files statement by statement and compares the locks on tables that existed before each file. */
    @Test
    void every_strong_lock_that_the_server_takes_is_in_the_plan(TestDatabase database) {
        try (Psql psql = new Psql(database)) {
            for (String migration : Migrator.MIGRATIONS) {
                Set<String> existing = new TreeSet<>(psql.texts("select c.oid::regclass::text from pg_class c"
                        + " where c.relnamespace = to_regnamespace('postrider') and c.relkind in ('r', 'p', 'v')"
                        + " and not c.relispartition"));
                for (String statement : ScriptStatements.of(Sql.resource("schema/" + migration + ".sql"))) {
                    psql.begin().execute(statement);
                    List<String> taken = psql.texts("select distinct relation::regclass::text from pg_locks"
                            + " where pid = pg_backend_pid() and locktype = 'relation' and mode in " + STRONG);
                    psql.commit();
                    List<String> planned = ScriptStatements.locks(statement);
                    assertThat(taken.stream().filter(existing::contains))
                            .as(migration + ": " + statement + "\n" + planned)
                            .allMatch(table -> planned.stream().anyMatch(lock -> lock.endsWith(" on " + table)));
                }
            }
        }
    }

    @Test
    void comments_texts_and_bodies_do_not_split_a_statement() {
        assertThat(ScriptStatements.of("-- a; b\nselect ';'; do $$ begin; -- it's\n end $$;\n\nselect 2"))
                .containsExactly("select ';'", "do $$ begin; -- it's\n end $$", "select 2");
    }

    @Test
    void each_kind_of_statement_has_its_lock() {
        assertThat(ScriptStatements.locks("create index if not exists a_b on postrider.a (b)"))
                .containsExactly("SHARE on postrider.a");
        assertThat(ScriptStatements.locks("update postrider.a x set b = 1"))
                .containsExactly("ROW EXCLUSIVE on postrider.a");
        assertThat(ScriptStatements.locks("create table postrider.a (b int)")).isEmpty();
        assertThat(ScriptStatements.locks("create or replace view postrider.v as"))
                .containsExactly("ACCESS EXCLUSIVE on postrider.v");
        assertThat(ScriptStatements.locks("create policy p on postrider.a for select using (true)"))
                .containsExactly("ACCESS EXCLUSIVE on postrider.a");
        assertThat(ScriptStatements.locks("drop function if exists postrider.f(int)"))
                .isEmpty();
    }
}
