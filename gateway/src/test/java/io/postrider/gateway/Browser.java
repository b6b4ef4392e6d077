package io.postrider.gateway;

import io.postrider.testkit.Await;
import io.postrider.testkit.program.Chromium;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.chrome.ChromeDriver;

/** A real Chromium, without a window, and what the client says in it. */
final class Browser implements AutoCloseable {
    private final ChromeDriver driver;

    Browser() {
        driver = Chromium.start(1280, 800);
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(30));
        driver.executeCdpCommand("Network.enable", Map.of());
    }

    void go(String url) {
        driver.get(url);
    }

    /** Connects, and keeps in the page what it hears: events, positions, states, snapshots. */
    void connect(String options) {
        Object failure = driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + "window.heard = []; window.states = []; window.snapshots = [];"
                + "import('/postrider.js').then(({connect}) => {"
                + "  window.stream = connect({"
                + "    onEvent: (event, position) => { window.heard.push([position, event.data.n ?? null]); },"
                + "    onState: (state, detail) => { window.states.push(state + ' ' + (detail.reason ?? detail.status ?? '')); },"
                + "    onSnapshot: (snapshot) => { window.snapshots.push(snapshot); },"
                + options + "});"
                + "  done(null);"
                + "}).catch((error) => done(String(error)));");
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    @SuppressWarnings("unchecked")
    List<Long> positions() {
        return (List<Long>) driver.executeScript("return window.heard.map(([position]) => position)");
    }

    @SuppressWarnings("unchecked")
    List<Long> numbers() {
        return (List<Long>) driver.executeScript("return window.heard.map(([, n]) => n)");
    }

    @SuppressWarnings("unchecked")
    List<String> states() {
        return (List<String>) driver.executeScript("return window.states");
    }

    Object run(String script) {
        return driver.executeScript(script);
    }

    void awaitState(String state) {
        Await.until("state " + state, Duration.ofSeconds(30), () -> {
            List<String> states = states();
            if (states.isEmpty() || !states.get(states.size() - 1).startsWith(state)) {
                throw new IllegalStateException("states: " + states);
            }
            return true;
        });
    }

    void awaitEvents(int count) {
        Await.until(count + " events", Duration.ofSeconds(40), () -> {
            if (positions().size() < count) {
                throw new IllegalStateException("heard " + positions() + ", states " + states());
            }
            return true;
        });
    }

    void offline(boolean now) {
        driver.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of("offline", now, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
