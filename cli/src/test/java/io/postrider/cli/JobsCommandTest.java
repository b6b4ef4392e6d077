package io.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Postrider;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.testkit.Await;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs, queues and schedules, with a node that works on one queue. */
@Migrated
@Tag("security")
class JobsCommandTest {
    private final AtomicBoolean broken = new AtomicBoolean();
    private Shell shell;
    private Postrider node;

    @BeforeEach
    void start(TestDatabase database) {
        shell = new Shell(database);
        node = Postrider.on(database.dataSource())
                .add(Worker.on("mail")
                        .handling("welcome", job -> {
                            if (broken.get()) {
                                throw new IllegalStateException("no connection");
                            }
                            return Fate.done("{\"sent\": true}");
                        })
                        .withRetry("welcome", RetryPolicy.never())
                        .handling("bounce", job -> Fate.dead("no_such_address", "nobody lives there")))
                .start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private void await(String id, String state) {
        Await.until(
                id + " is " + state,
                () -> shell.ok("jobs", "show", id, "--json").out().contains(state));
    }

    @Test
    void a_job_is_enqueued_shown_and_listed(TestDatabase given) {
        String id = shell.ok("jobs", "enqueue", "mail", "welcome", "{\"to\": \"anne\"}")
                .out()
                .strip();
        await(id, "\"state\":\"DONE\"");
        assertThat(shell.ok("jobs", "show", id).out())
                .containsPattern("state +DONE")
                .containsPattern("payload +\\{\"to\": \"anne\"\\}")
                .containsPattern("result +\\{\"sent\": true\\}");
        assertThat(shell.ok("jobs", "list", "mail").lines().get(1)).contains(id, "welcome", "DONE");
        assertThat(shell.ok("jobs", "list", "mail", "--state", "failed").err()).contains("no such jobs");
        assertThat(shell.ok("queues", "list").lines().get(1)).startsWith("mail");
    }

    @Test
    void a_dead_job_is_retried_and_one_that_waits_is_cancelled(TestDatabase given) {
        broken.set(true);
        String dead = shell.ok("jobs", "enqueue", "mail", "welcome").out().strip();
        await(dead, "\"state\":\"FAILED\"");
        assertThat(shell.ok("jobs", "list", "mail", "--state", "failed").out()).contains("no connection");
        assertThat(shell.ok("jobs", "show", dead).out())
                .containsPattern(
                        "stack trace\\R  java.lang.IllegalStateException: no connection\\R      at io.postrider.cli");
        assertThat(shell.ok("jobs", "show", dead, "--json").out())
                .contains("\"stack\":\"java.lang.IllegalStateException: no connection\\n\\tat ");
        String letter = shell.ok("dead-letters", "list", "--json").out().replaceAll("(?s).*?\"id\":(\\d+).*", "$1");
        assertThat(shell.ok("dead-letters", "show", letter).out()).contains("stack trace", "      at io.postrider.cli");
        broken.set(false);
        assertThat(shell.ok("jobs", "retry", dead).err()).contains("retrying " + dead);
        await(dead, "\"state\":\"DONE\"");
        assertThat(shell.run("jobs", "retry", dead).code()).isEqualTo(ExitCode.CONFLICT);
        String later = shell.ok("jobs", "enqueue", "mail", "welcome", "--in", "1h")
                .out()
                .strip();
        await(later, "\"waits_for\":\"due\"");
        assertThat(shell.ok("jobs", "cancel", later).err()).contains("cancelled " + later);
        await(later, "\"state\":\"CANCELLED\"");
        assertThat(shell.run("jobs", "cancel", dead).code()).isEqualTo(ExitCode.CONFLICT);
        assertThat(shell.run("jobs", "show", "00000000-0000-0000-0000-000000000000")
                        .code())
                .isEqualTo(ExitCode.NOT_FOUND);
    }

    /** It waited without a word until the producer's transaction ended. */
    @Test
    void a_retry_gives_up_while_an_open_transaction_holds_the_unique_key(TestDatabase database) throws SQLException {
        String dead = shell.ok("jobs", "enqueue", "mail", "bounce", "--unique", "k")
                .out()
                .strip();
        await(dead, "\"state\":\"FAILED\"");
        try (Connection producer = database.dataSource().getConnection();
                Statement statement = producer.createStatement()) {
            producer.setAutoCommit(false);
            statement.execute("select postrider.enqueue('mail', 'welcome', '{}', unique_key => 'k')");
            Ran retry = shell.run("jobs", "retry", dead);
            assertThat(retry.code()).isEqualTo(ExitCode.CONFLICT);
            assertThat(retry.err())
                    .contains(dead, "unique key", "another transaction")
                    .doesNotContain("\tat ");
            producer.rollback();
        }
        assertThat(shell.ok("jobs", "retry", dead).err()).contains("retrying " + dead);
    }

    @Test
    void the_code_of_a_failure_is_shown_with_the_job_and_its_dead_letter(TestDatabase given) {
        String id = shell.ok("jobs", "enqueue", "mail", "bounce").out().strip();
        await(id, "\"state\":\"FAILED\"");
        assertThat(shell.ok("jobs", "show", id).out())
                .containsPattern("error code +no_such_address")
                .containsPattern("error +nobody lives there");
        assertThat(shell.ok("jobs", "show", id, "--json").out()).contains("\"last_error_code\":\"no_such_address\"");
        String json = shell.ok("dead-letters", "list", "--json").out();
        assertThat(json).contains("\"last_error_code\":\"no_such_address\"");
        String letter = json.replaceAll("(?s).*?\"id\":(\\d+).*", "$1");
        assertThat(shell.ok("dead-letters", "show", letter).out()).containsPattern("error code +no_such_address");
    }

    @Test
    void show_says_why_a_job_is_waiting(TestDatabase given) {
        String typo = shell.ok("jobs", "enqueue", "mial", "welcome").out().strip();
        await(typo, "\"waiting_reason\":\"NO_WORKER\"");
        assertThat(shell.ok("jobs", "show", typo).out())
                .containsPattern("waits +no running node works on queue mial \\(NO_WORKER\\)");
        String later = shell.ok("jobs", "enqueue", "mail", "welcome", "--in", "1h")
                .out()
                .strip();
        await(later, "\"waiting_reason\":\"TIME\",\"waiting_until\":\"20");
    }

    @Test
    void a_queue_is_paused_limited_and_resumed(TestDatabase given) {
        assertThat(shell.ok("queues", "pause", "mail").err()).contains("paused mail");
        String id = shell.ok("jobs", "enqueue", "mail", "welcome", "--priority", "high")
                .out()
                .strip();
        Await.until("it waits", () -> shell.ok("queues", "list", "--json").out().contains("\"depth\":1"));
        shell.ok("queues", "limit", "mail", "--running", "5", "--rate", "10", "--period", "1s");
        assertThat(shell.ok("queues", "list").out()).contains("paused, at most 5 running, rate 10");
        shell.ok("queues", "resume", "mail");
        await(id, "\"state\":\"DONE\"");
        assertThat(shell.ok("queues", "drain", "mail", "--within", "20s").err()).contains("drained mail");
        shell.ok("queues", "resume", "mail");
        assertThat(shell.run("queues", "pause", "maill").err()).contains("no queue maill; did you mean 'mail'?");
    }

    @Test
    void schedules_are_set_listed_paused_and_removed(TestDatabase given) {
        shell.ok("schedules", "set", "nightly", "0 3 * * *", "mail", "welcome", "--zone", "Europe/Berlin");
        assertThat(shell.ok("schedules", "list").lines().get(1)).contains("nightly", "0 3 * * *", "Europe/Berlin");
        shell.ok("schedules", "pause", "nightly");
        assertThat(shell.ok("schedules", "list").out()).contains("paused");
        shell.ok("schedules", "resume", "nightly");
        assertThat(shell.ok("schedules", "list", "--json").out()).contains("\"paused\":false", "\"next_at\":");
        shell.ok("schedules", "remove", "nightly");
        assertThat(shell.run("schedules", "remove", "nightly").code()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void nonsense_is_refused_in_one_line(TestDatabase given) {
        assertThat(shell.run("jobs", "enqueue", "a:b", "welcome").err()).contains("queue must match");
        assertThat(shell.run("jobs", "enqueue", "mail", "welcome", "{").err()).contains("payload");
        assertThat(shell.run("jobs", "enqueue", "mail", "welcome", "--in", "soon")
                        .err())
                .contains("--in must be a time such as 500ms, 30s, 5m, 2h or 1d, was 'soon'");
        assertThat(shell.run("jobs", "enqueue", "mail", "welcome", "--at", "+10000-01-01T00:00:00Z")
                        .err())
                .contains("before the year 10000");
        assertThat(shell.run("jobs", "enqueue", "mail", "welcome", "--priority", "urgent")
                        .err())
                .contains("--priority must be high, normal or low, was 'urgent'");
        assertThat(shell.run("jobs", "list", "mail", "--state", "lost").err()).contains("--state must be pending");
        assertThat(shell.run("schedules", "set", "s", "61 * * * *", "mail", "welcome")
                        .err())
                .contains("cron field minute must be within 0..59, was '61'");
        assertThat(shell.run("jobs", "show", "123").err())
                .contains("'123' is not an id")
                .doesNotContain("java.");
        assertThat(shell.run("schedules", "set", "s", "1-5/2147483647 * * * *", "mail", "t")
                        .err())
                .contains("cron field minute");
        assertThat(shell.run("schedules", "set", "s", "* 5-1 * * *", "mail", "t")
                        .err())
                .contains("goes backwards");
        assertThat(shell.run("queues", "limit", "mail", "--running", "0").err()).contains("running limit must be 1..");
        assertThat(shell.run("queues", "limit", "mail", "--rate", "5").err()).contains("a rate needs a period");
    }
}
