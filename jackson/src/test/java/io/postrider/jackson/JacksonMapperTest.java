package io.postrider.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Fate;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

@PostgresTest
class JacksonMapperTest {
    record Welcome(String to, List<String> topics) {}

    private final JacksonMapper mapper = new JacksonMapper();

    @Test
    void a_record_is_the_same_after_the_ride_and_a_payload_that_is_none_is_dead(TestDatabase database)
            throws Exception {
        List<Welcome> done = new CopyOnWriteArrayList<>();
        try (Postrider postrider = Postrider.on(database.dataSource()).migrate()) {
            postrider
                    .add(Worker.on("mail").withMapper(mapper).handling("welcome", Welcome.class, (welcome, job) -> {
                        done.add(welcome);
                        return Fate.done(mapper.write(welcome.topics()));
                    }))
                    .start();
            Welcome welcome = new Welcome("änne@example.org", List.of("a", "b"));
            UUID good;
            UUID bad;
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                good = postrider.enqueue(connection, Job.of("mail", "welcome", mapper.write(welcome)));
                bad = postrider.enqueue(connection, Job.of("mail", "welcome", "[1]"));
                connection.commit();
            }
            Await.until(
                    "both have ended",
                    () -> postrider
                                    .jobs()
                                    .find(good)
                                    .filter(job -> job.state() == State.DONE)
                                    .isPresent()
                            && postrider
                                    .jobs()
                                    .find(bad)
                                    .filter(job -> job.state() == State.FAILED)
                                    .isPresent());
            assertThat(done).containsExactly(welcome);
            assertThat(postrider.jobs().find(good).orElseThrow().result()).isEqualTo("[\"a\", \"b\"]");
            assertThat(postrider.jobs().find(bad).orElseThrow().error())
                    .startsWith("the payload cannot be read as Welcome: ");
        }
    }

    @Test
    void a_payload_class_without_a_mapper_is_refused() {
        assertThatThrownBy(() -> Worker.on("mail").handling("welcome", Welcome.class, (welcome, job) -> Fate.done()))
                .hasMessage("a payload as Welcome needs a mapper; call withMapper() first");
    }
}
