package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Postrider;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Whoever is numbered after a pass draws ids above the pass's {@code high} (ADR 2). That holds only if {@code high} is never
 * read too high. {@code select last_value} from a sequence is: for the moment in which {@code nextval()} writes its log
 * record the row shows a value 32 further on, and a plain select reads it without a lock. Found by the freeze of a node on a
 * busy machine, which lost an event.
 */
@PostgresTest
class IdsAboveHighTest {
    private static final int SESSIONS = 4;
    private static final int ROUNDS = 100_000;
    private static final Pattern READ = Pattern.compile("(?m)^ *select (.*) into high( from .*)?;");

    @Test
    void an_id_drawn_after_high_was_read_is_greater(TestDatabase database) throws Exception {
        Postrider.on(database.dataSource()).migrate();
        String source = Rows.text(database.dataSource(), "select prosrc from pg_proc where proname = 'sequence'");
        Matcher read = READ.matcher(source);
        assertThat(read.find()).as("sequence() reads high as it used to").isTrue();
        Rows.execute(database.dataSource(), """
                create function rounds(times int) returns bigint language plpgsql as $$
                declare
                  v bigint;
                  wrong bigint := 0;
                begin
                  for i in 1..times loop
                    select %s into v %s;
                    if nextval('postrider.event_ids') <= v then
                      wrong := wrong + 1;
                    end if;
                  end loop;
                  return wrong;
                end
                $$
                """.formatted(read.group(1), read.group(2) == null ? "" : read.group(2)));
        ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
        try {
            List<Callable<Long>> sessions = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(() -> Rows.number(database.dataSource(), "select rounds(" + ROUNDS + ")"));
            }
            long wrong = 0;
            for (Future<Long> session : threads.invokeAll(sessions)) {
                wrong += session.get();
            }
            assertThat(wrong).isZero();
        } finally {
            threads.shutdown();
        }
    }
}
