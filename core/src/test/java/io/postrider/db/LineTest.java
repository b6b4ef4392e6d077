package io.postrider.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Migrated;
import io.postrider.testkit.TestDatabase;
import org.junit.jupiter.api.Test;

@Migrated
class LineTest {
    private static final Sql TIMEOUT =
            Sql.text("timeout", "select current_setting('statement_timeout') as statement_timeout");

    /** A backend whose client is gone goes on until its statement ends; without a timeout these piled up. */
    @Test
    void a_statement_ends_even_if_its_client_is_gone_but_not_before_a_large_pass(TestDatabase database) {
        Database postrider = new Database(database.dataSource(), SchemaName.of("postrider"));
        try (Line line = Line.open(database.dataSource(), postrider)) {
            line.listen("postrider");
            assertThat(line.session().one(TIMEOUT, Bind::nothing, row -> row.text("statement_timeout")))
                    .contains("6h");
        }
    }
}
