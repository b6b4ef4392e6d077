package io.postrider.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Migrated;
import io.postrider.Postrider;
import io.postrider.Psql;
import io.postrider.Reach;
import io.postrider.admin.Jobs;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.TestRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page of jobs costs the same however many jobs other projects have in the queue, and following pages find every job once. */
@Migrated(shared = true)
@Tag("security")
class JobPagesTest {
    private static final int OTHERS = TestRun.count(6_000, 100_000);
    private static final Reach ACME = Reach.project("acme");

    private final TestDatabase database;

    JobPagesTest(TestDatabase database) {
        this.database = database;
    }

    /** Two jobs of acme, then those of another project, then two of acme; one of each two in another lane. */
    @BeforeEach
    void fill() {
        try (Psql psql = new Psql(database)) {
            if (psql.number("select count(*) from postrider.log") > 0) {
                return;
            }
            for (String project : List.of("acme", "greedy", "acme")) {
                psql.execute("insert into postrider.event (topic, type, project_id, payload)"
                        + " select case when '" + project
                        + "' = 'acme' and i % 2 = 0 then 'queue:mail:high' else 'queue:mail' end,"
                        + " 'letter', '" + project + "', to_jsonb(i) from generate_series(1, "
                        + (project.equals("acme") ? 2 : OTHERS) + ") i");
            }
        }
        Postrider postrider = Postrider.on(database.dataSource());
        postrider.jobs().sequence();
        try (Psql psql = new Psql(database)) {
            psql.execute("vacuum analyze postrider.event").execute("vacuum analyze postrider.log");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
    void a_page_of_jobs_reads_no_more_buffers_than_its_positions_need(String mode) {
        for (String text : List.of("postrider.jobs_in_reach j", "with ordinality l")) {
            Explaining explaining = new Explaining(database.dataSource(), mode, text);
            Jobs jobs = Postrider.on(explaining).jobs();
            for (Reach reach : List.of(ACME, Reach.project("greedy"), Reach.user("ann", "acme"), Reach.all())) {
                Jobs.Page page = jobs.list(reach, new Jobs.Wanted("mail", Jobs.State.PENDING, null, 1));
                while (page.next() != null && page.jobs().isEmpty()) {
                    page = jobs.list(reach, new Jobs.Wanted("mail", Jobs.State.PENDING, page.next(), 1));
                }
                List<String> plans = explaining.take();
                int most = plans.stream().mapToInt(PlansTest::pages).max().orElse(0);
                System.out.printf("%-30s %-30s %d of at most %d pages%n", text, reach, plans.size(), most);
                assertThat(most).as(String.join("\n", plans)).isLessThan(40_000);
            }
        }
    }

    @Test
    void every_job_is_on_one_page_and_the_latest_come_first() {
        Jobs jobs = Postrider.on(database.dataSource()).jobs();
        for (int most : List.of(1, 3, 1_000)) {
            List<Jobs.Status> found = new ArrayList<>();
            Jobs.Page page = jobs.list(ACME, new Jobs.Wanted("mail", null, null, most));
            found.addAll(page.jobs());
            while (page.next() != null) {
                long begun = System.nanoTime();
                page = jobs.list(ACME, new Jobs.Wanted("mail", null, page.next(), most));
                found.addAll(page.jobs());
                if (page.jobs().isEmpty() && page.next() != null) {
                    assertThat(Duration.ofNanos(System.nanoTime() - begun))
                            .as("a page is empty only after it has searched for half a second")
                            .isGreaterThan(Duration.ofMillis(500));
                }
            }
            assertThat(found).hasSize(4).extracting(Jobs.Status::id).doesNotHaveDuplicates();
            assertThat(found.subList(0, 2))
                    .extracting(Jobs.Status::createdAt)
                    .isSortedAccordingTo((a, b) -> b.compareTo(a));
        }
        assertThat(jobs.list("mail", Jobs.State.PENDING, OTHERS + 10)).hasSize(OTHERS + 4);
    }
}
