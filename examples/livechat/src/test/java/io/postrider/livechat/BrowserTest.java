package io.postrider.livechat;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The chat in a real browser, with a worker in a process of its own. */
@PostgresTest(per = PostgresTest.Per.CLASS)
class BrowserTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static Theatre theatre;
    private final List<Screen> screens = new ArrayList<>();

    @BeforeAll
    static void open(TestDatabase database) throws Exception {
        theatre = Theatre.open(database, 0);
        theatre.awaitWorkers();
    }

    @AfterAll
    static void close() throws Exception {
        theatre.close();
    }

    /** A script that was blocked, or an error that nobody caught, is a fault of the page, whatever the test was about. */
    @AfterEach
    void nothing_was_blocked_or_thrown() {
        try {
            screens.forEach(screen -> assertThat(screen.faults()).isEmpty());
        } finally {
            screens.forEach(Screen::close);
        }
    }

    private Screen screen(String path) {
        Screen screen = Screen.open(theatre.url(path));
        screens.add(screen);
        return screen;
    }

    @Test
    void a_visitor_writes_an_agent_answers_and_each_sees_the_other_at_once() {
        Screen visitor = screen("/visitor.html");
        Screen agent = screen("/agent.html?as=mira");
        visitor.awaitLive("#visitor");
        agent.awaitLive("#agent");
        visitor.write("#visitor", "Where is my parcel 4711?");
        visitor.awaitText("#visitor .message.companion", "4711");
        agent.choose(visitor.text("#visitor .head p").replace("You are ", ""));
        agent.awaitText("#agent .message.visitor", "Where is my parcel 4711?");
        agent.write("#agent", "Two stages away. I have looked myself.");
        visitor.awaitText("#visitor .message.agent", "Two stages away");
        visitor.awaitCss("#visitor .message.own .tick[data-state=read]");
        agent.awaitCss("#agent .message.own .tick[data-state=saved]");
    }

    @Test
    @Tag("slow")
    void a_mention_raises_a_badge_for_the_one_who_is_called_until_it_is_read() {
        Screen anna = screen("/agent.html?as=anna");
        Screen ben = screen("/agent.html?as=ben");
        Screen visitor = screen("/visitor.html");
        visitor.awaitLive("#visitor");
        anna.awaitLive("#agent");
        ben.awaitLive("#agent");
        String name = visitor.text("#visitor .head p").replace("You are ", "");
        anna.leaveAll();
        ben.leaveAll();
        visitor.write("#visitor", "Can @anna help me?");
        anna.awaitCss("#agent .bell[data-count='1']");
        anna.awaitCss("#agent .lines .at:not([hidden])");
        anna.reload();
        anna.awaitCss("#agent .bell[data-count='1']");
        anna.click("#agent .bell");
        anna.awaitText("#agent .activity li.new", name + " mentioned you");
        anna.awaitText("#agent .activity li .said", "Can @anna help me?");
        visitor.awaitText("#visitor .message.companion", "rung for Anna");
        ben.awaitText("#agent .lines .last", "Pip: I have rung for Anna.");
        assertThat(ben.attribute("#agent .bell", "data-count")).isEqualTo("0");
        anna.click("#agent .activity li.new button");
        anna.awaitText("#agent .crumb h3", name);
        anna.awaitCss("#agent .bell[data-count='0']");
        visitor.awaitCss("#visitor .message.own .tick[data-state=read]");
        anna.reload();
        anna.awaitLive("#agent");
        assertThat(anna.attribute("#agent .bell", "data-count")).isEqualTo("0");
        anna.click("#agent .bell");
        anna.awaitText("#agent .activity li:not(.new) .said", "Can @anna help me?");
    }

    @Test
    @Tag("slow")
    void what_looks_like_markup_stays_text_everywhere() {
        String evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
                + "<svg/onload=document.title='owned'> {{7*7}} @anna\"><b>x</b>";
        Screen visitor = screen("/visitor.html");
        Screen agent = screen("/agent.html?as=anna");
        visitor.awaitLive("#visitor");
        agent.awaitLive("#agent");
        visitor.write("#visitor", evil);
        visitor.awaitText("#visitor .message.own .bubble", evil);
        visitor.awaitCss("#visitor .message.companion");
        agent.choose(visitor.text("#visitor .head p").replace("You are ", ""));
        agent.awaitText("#agent .message.visitor .bubble", evil);
        for (Screen screen : List.of(visitor, agent)) {
            assertThat(screen.count(".bubble img, .bubble script, .bubble svg, .bubble b, .last *"))
                    .isZero();
            assertThat(screen.title()).doesNotContain("owned");
        }
    }

    @Test
    void of_what_is_sent_together_only_what_is_bad_is_refused() {
        Screen visitor = screen("/visitor.html");
        visitor.awaitLive("#visitor");
        Object settled = visitor.promised("const {Session} = await import('/chat/api.js');"
                + "const {Outbox} = await import('/chat/outbox.js');"
                + "const session = await Session.open('together', {});"
                + "return new Promise(resolve => { const settled = [];"
                + "  const on = what => ({text}) => { settled.push(what + ' ' + text.slice(0, 3));"
                + "    if (settled.length === 5) { resolve(settled.join(', ')); } };"
                + "  const outbox = new Outbox(session, {acknowledged: on('taken'), refused: on('refused')});"
                + "  outbox.waiting = ['one', 'two', 'bad' + 'x'.repeat(3000), 'four', 'five']"
                + "    .map((text, i) => ({client: 'together-' + i, text}));"
                + "  outbox.flush(); });");
        assertThat(settled).isEqualTo("taken one, taken two, refused bad, taken fou, taken fiv");
        assertThat(visitor.faults()).as("what the browser says of it").allMatch(fault -> fault.contains("400"));
    }

    @Test
    void what_a_stream_brought_counts_as_seen_when_the_database_has_it_and_not_before() {
        Screen visitor = screen("/visitor.html");
        visitor.awaitLive("#visitor");
        Object counted = visitor.promised("const {Ledger} = await import('/chat/ledger.js');"
                + "const ledger = new Ledger();"
                + "const steps = () => { const {acknowledged, saved, emitted, visitor, agent} = ledger.count();"
                + "  return [acknowledged, saved, emitted, visitor, agent].join(''); };"
                + "const message = {client: 'c', author: {kind: 'VISITOR'}};"
                + "ledger.sent(message); ledger.acknowledged(message, 'receipt'); ledger.seen('agent', message, 1);"
                + "const before = steps();"
                + "ledger.answered([{id: 'c', saved: 1, emitted: 1, position: 1, lost: false}]);"
                + "return before + ' ' + steps();");
        assertThat(counted).isEqualTo("10000 11101");
    }

    @Test
    void offline_one_goes_on_writing_and_nothing_is_missing_or_twice_when_the_network_is_back() {
        Screen stage = screen("/?transport=http"); // the browser's switch does not affect a WebSocket that is open
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.write("#visitor", "before the tunnel");
        stage.awaitVerdict("good", 1);
        stage.setOffline(true);
        stage.awaitCss("#visitor .presence:not([data-state=live])");
        for (int i = 1; i <= 3; i++) {
            stage.write("#visitor", "in the tunnel " + i);
        }
        Await.until("all three are drawn", () -> stage.count("#visitor .tick[data-state=sending]") == 3);
        stage.setOffline(false);
        stage.awaitLive("#visitor");
        stage.awaitVerdict("good", 4);
        Await.until("all four are drawn", () -> stage.count("#agent .message.visitor .bubble") >= 4);
        assertThat(stage.texts("#agent .message.visitor .bubble"))
                .containsExactly("before the tunnel", "in the tunnel 1", "in the tunnel 2", "in the tunnel 3");
    }

    @Test
    @Tag("slow")
    void a_stream_that_is_cut_comes_back_where_it_was() {
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.write("#visitor", "one");
        stage.awaitVerdict("good", 1);
        stage.click("[data-trouble=cut-streams]");
        stage.write("#visitor", "two");
        stage.awaitText(".journal", "The visitor’s stream is back");
        stage.awaitText(".journal", "The agent’s stream is back");
        stage.awaitText("[data-status=cut-streams]", "Reconnected");
        stage.awaitVerdict("good", 2);
    }

    @Test
    @Tag("slow")
    void when_a_worker_is_killed_the_other_one_goes_on_and_a_new_one_comes() {
        theatre.awaitWorkers();
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.click("[data-trouble=kill-worker]");
        stage.awaitText(".journal", "was killed");
        stage.awaitText("[data-status=kill-worker]", "goes on.");
        stage.write("#visitor", "is anybody there?");
        stage.awaitVerdict("good", 1);
        stage.awaitText("[data-status=kill-worker]", "Longest wait of a message: ");
        stage.awaitText(".journal", "A new worker");
        stage.awaitText("[data-status=kill-worker]", "go on.");
    }

    @Test
    @Tag("slow")
    void every_database_connection_is_cut_while_the_auto_pilot_writes_and_nothing_is_missing_or_twice() {
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.click("[data-pilot]");
        stage.awaitCount("acknowledged", 60);
        stage.click("[data-trouble=cut-database]");
        stage.awaitText(".journal", "database connections were cut");
        stage.awaitText("[data-status=cut-database]", "Longest wait of a message: ");
        int cut = stage.number("acknowledged");
        stage.awaitCount("acknowledged", cut + 40);
        stage.click("[data-pilot]");
        stage.awaitVerdict("good");
        assertThat(stage.text("[data-count=missing]")).isEqualTo("0");
        assertThat(stage.text("[data-count=twice]")).isEqualTo("0");
        stage.faultsOfTheCut();
    }

    @Test
    void an_agent_whom_nobody_knows_is_told_who_there_is() {
        Screen agent = screen("/agent.html?as=mallory");
        agent.awaitText("#agent .empty", "Unknown agent; choose one of [anna, ben, mira].");
        assertThat(agent.faults()).as("what the browser says of it").allMatch(fault -> fault.contains("404"));
    }

    @Test
    @Tag("slow")
    void a_companion_that_fails_is_seen_to_be_retried_and_answers_once() {
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.click("[data-trouble=fail-companion]");
        stage.awaitText("[data-status=fail-companion]", "3 attempts will throw");
        stage.write("#visitor", "thanks!");
        stage.awaitText(".journal", "attempt 1 of 4 failed");
        stage.awaitText(".journal", "attempt 3 of 4 failed");
        stage.awaitText("#visitor .message.companion .attempt", "attempt 4");
        stage.awaitText("[data-status=fail-companion]", "Done at attempt 4, once.");
        assertThat(stage.count("#visitor .message.companion")).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void a_transaction_that_is_held_open_holds_up_nobody_but_itself() {
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.click("[data-trouble=hold-transaction]");
        stage.awaitText("[data-status=hold-transaction]", "Open for");
        stage.write("#visitor", "past it");
        stage.awaitVerdict("good", 1);
        assertThat(stage.text("[data-status=hold-transaction]")).contains("Open for");
        assertThat(stage.text(".journal")).doesNotContain("has committed");
        stage.awaitText(".journal", "The held transaction has committed");
    }

    @Test
    @Tag("slow")
    void the_auto_pilot_flies_through_a_kill_a_cut_and_a_held_transaction_without_a_loss() {
        Screen stage = screen("/");
        stage.awaitLive("#visitor");
        stage.awaitLive("#agent");
        stage.click("[data-pilot]");
        stage.awaitCount("acknowledged", 60);
        stage.click("[data-trouble=hold-transaction]");
        stage.click("[data-trouble=kill-worker]");
        stage.awaitText(".journal", "was killed (kill -9)");
        stage.awaitText(".journal", "A new worker");
        stage.click("[data-trouble=cut-streams]");
        stage.awaitText(".journal", "The agent’s stream is back");
        stage.awaitVerdict("good", 600);
        assertThat(stage.text("[data-count=missing]")).isEqualTo("0");
        assertThat(stage.text("[data-count=twice]")).isEqualTo("0");
        for (String row : List.of("acknowledged", "saved", "emitted", "visitor", "agent")) {
            assertThat(stage.text("[data-count=" + row + "]")).isEqualTo("600");
        }
        assertThat(stage.texts("#agent .message.visitor .bubble")).endsWith("№ 599 of 600", "№ 600 of 600");
    }

    @Test
    @Tag("slow")
    void a_reload_brings_the_conversation_back_and_another_tab_is_another_visitor() {
        Screen visitor = screen("/visitor.html");
        visitor.awaitLive("#visitor");
        visitor.write("#visitor", "remember me");
        visitor.awaitCss("#visitor .message.companion");
        String me = visitor.text("#visitor .head p");
        visitor.reload();
        visitor.awaitText("#visitor .message.own .bubble", "remember me");
        assertThat(visitor.text("#visitor .head p")).isEqualTo(me);
        assertThat(visitor.count("#visitor .message")).isEqualTo(2);
        assertThat(screen("/visitor.html").count("#visitor .message")).isZero();
    }
}
