package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.Chromium;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;

/**
 * Six people write at once in six browser windows, and one in twelve of the transactions that save their messages stays open while
 * later ones commit. A reader of {@code id > cursor} moves past them and loses them; the badge of the agent whom they mention does not.
 */
@NeedsProgram({"chromium", "chromedriver"})
@PostgresTest
@Tag("slow")
class SixWritersTest {
    private static final Duration LONG = Duration.ofSeconds(180);
    private static final int WRITERS = 6;
    private static final int MENTIONS = 500;

    /** In the test's database only: a transaction that saves such a message waits before its commit until it is let go. */
    private static final String HOLD = "create function public.hold() returns trigger language plpgsql as $$ begin"
            + " perform pg_advisory_xact_lock_shared(4712, new.id::int);" // shows which message waits
            + " perform pg_advisory_xact_lock_shared(4711, 0); return null; end $$;"
            + " create trigger hold after insert on livechat.message for each row when (new.body like '%(held)%')"
            + " execute function public.hold()";

    private static final String HELD = "select l.objid::bigint as id from pg_locks l where l.locktype = 'advisory'"
            + " and l.classid = 4712 and l.database = (select d.oid from pg_database d where d.datname = current_database())";

    @Test
    void no_mention_is_lost_by_the_badge_and_some_by_a_reader_of_ids(TestDatabase database) throws Exception {
        try (Theatre theatre = Theatre.open(database, 0);
                Connection holder = DriverManager.getConnection(database.jdbcUrl());
                Connection look = DriverManager.getConnection(database.jdbcUrl());
                IdReader control = new IdReader(database)) {
            run(look, HOLD);
            theatre.awaitWorkers();
            ChromeDriver browser = Chromium.start(1280, 800);
            try {
                for (int i = 0; i < WRITERS; i++) {
                    open(browser, theatre.url("/visitor.html"), i > 0);
                    awaitCss(browser, "#visitor .presence[data-state=live]");
                    browser.executeScript(writing("'hello'", 1)); // so that none has to create the conversation
                }
                Await.until("six conversations", LONG, () -> count(look, "livechat.conversation") == WRITERS);
                List<String> windows = new ArrayList<>(browser.getWindowHandles());
                openAnna(browser, theatre);
                String anna = browser.getWindowHandle();
                run(holder, "select pg_advisory_lock(4711, 0)");
                for (int i = 0; i < WRITERS; i++) {
                    browser.switchTo().window(windows.get(i));
                    String text = "`@anna number ${n} of writer " + i + "${n % 12 === 0 ? ' (held)' : ''}`";
                    browser.executeScript(writing(text, MENTIONS / WRITERS + (i < MENTIONS % WRITERS ? 1 : 0)));
                }
                browser.switchTo().window(anna);
                Set<Long> passed = holdAndLetGo(holder, look, control);
                awaitCss(browser, "#agent .bell[data-count='" + MENTIONS + "']");
                assertThat(count(look, "livechat.activity where agent_id = 'anna'"))
                        .isEqualTo(MENTIONS);
                control.catchUp();
                assertThat(passed)
                        .as("held open while the reader moved past them")
                        .isNotEmpty();
                assertThat(control.seen).doesNotContainAnyElementsOf(passed);
                assertThat(control.seen).hasSizeLessThanOrEqualTo(MENTIONS - passed.size());
                feedSurvivesAReload(browser);
            } finally {
                browser.quit();
            }
        }
    }

    private static void open(ChromeDriver browser, String url, boolean another) {
        if (another) {
            browser.switchTo().newWindow(WindowType.WINDOW);
        }
        browser.get(url);
    }

    /** As narrow as a phone, so that no conversation is open: what she does not read stays unread. */
    private static void openAnna(ChromeDriver browser, Theatre theatre) {
        browser.switchTo().newWindow(WindowType.WINDOW);
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 420, "height", 800, "deviceScaleFactor", 1, "mobile", false));
        browser.get(theatre.url("/agent.html?as=anna"));
        awaitCss(browser, "#agent .presence[data-state=live]");
    }

    /** Types and sends, again and again; the page's own code does the rest. */
    private static String writing(String text, int messages) {
        return "(async () => { const field = document.querySelector('#visitor textarea');"
                + " for (let n = 1; n <= " + messages + "; n++) {"
                + "  field.value = " + text + ";"
                + "  field.form.requestSubmit();"
                + "  await new Promise(next => { const {port1, port2} = new MessageChannel();"
                + "   port1.onmessage = next; port2.postMessage(0); });"
                + " } })()";
    }

    /**
     * Keeps transactions open until the reader has moved past some of them, lets them commit, and goes on with the next ones, until
     * all messages are saved. Returns the ids that the reader has moved past.
     */
    private static Set<Long> holdAndLetGo(Connection holder, Connection look, IdReader control) throws Exception {
        Set<Long> passed = new TreeSet<>();
        while (saved(look) < MENTIONS) {
            Await.until("some are passed, or all others are saved", LONG, () -> {
                List<Long> held = Rows.query(look, HELD, row -> row.getLong("id"));
                List<Long> behind =
                        held.stream().filter(id -> id < control.cursor()).toList();
                boolean enough = behind.size() >= 3 || held.size() >= 8 || saved(look) + held.size() >= MENTIONS;
                if (enough) {
                    passed.addAll(behind);
                }
                return enough;
            });
            run(holder, "select pg_advisory_unlock(4711, 0)");
            run(holder, "select pg_advisory_lock(4711, 0)"); // after those that waited have committed
        }
        run(holder, "select pg_advisory_unlock(4711, 0)");
        return passed;
    }

    private static long saved(Connection look) throws SQLException {
        return count(look, "livechat.message where 'anna' = any (mentions)");
    }

    private static void feedSurvivesAReload(ChromeDriver browser) {
        browser.navigate().refresh();
        awaitCss(browser, "#agent .bell[data-count='" + MENTIONS + "']");
        browser.findElement(By.cssSelector("#agent .bell")).click();
        Await.until("a page of the feed", LONG, () -> items(browser) == Activities.PAGE);
        browser.findElement(By.cssSelector("#agent .activity .older")).click();
        Await.until("another page", LONG, () -> items(browser) == 2 * Activities.PAGE);
    }

    private static int items(ChromeDriver browser) {
        return browser.findElements(By.cssSelector("#agent .activity li.new")).size();
    }

    private static void awaitCss(ChromeDriver browser, String css) {
        Await.until(css, LONG, () -> !browser.findElements(By.cssSelector(css)).isEmpty());
    }

    private static long count(Connection connection, String from) throws SQLException {
        return Rows.one(connection, "select count(*) as n from " + from, row -> row.getLong("n"))
                .orElseThrow();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The control: reads the table of messages as many outboxes are read. */
    private static final class IdReader implements AutoCloseable {
        private static final String NEXT = "select m.id, 'anna' = any (m.mentions) as mentioned from livechat.message m"
                + " where m.id > ? order by m.id limit 500";

        final Set<Long> seen = new ConcurrentSkipListSet<>();
        private final Connection connection;
        private final Thread thread = new Thread(this::run, "id-reader");
        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile long cursor;

        IdReader(TestDatabase database) throws SQLException {
            connection = DriverManager.getConnection(database.jdbcUrl());
            thread.setDaemon(true);
            thread.start();
        }

        long cursor() {
            return cursor;
        }

        private void run() {
            try {
                while (!closed.await(5, TimeUnit.MILLISECONDS)) {
                    next();
                }
            } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private synchronized void next() throws SQLException {
            Rows.query(
                    connection,
                    NEXT,
                    row -> {
                        cursor = row.getLong("id");
                        return row.getBoolean("mentioned") && seen.add(cursor);
                    },
                    cursor);
        }

        /** It has read everything that there is after its cursor. */
        void catchUp() throws SQLException {
            long before;
            do {
                before = cursor;
                next();
            } while (cursor > before);
        }

        @Override
        public void close() throws Exception {
            closed.countDown();
            thread.join();
            connection.close();
        }
    }
}
