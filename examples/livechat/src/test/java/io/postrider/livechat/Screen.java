package io.postrider.livechat;

import io.postrider.testkit.Await;
import io.postrider.testkit.program.Chromium;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;

/** A browser with one page, as somebody who uses it. */
final class Screen implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(90);

    private final ChromeDriver driver;
    private boolean wasOffline;
    private boolean wasCut;

    private Screen(ChromeDriver driver) {
        this.driver = driver;
    }

    static Screen open(String url) {
        Screen screen = new Screen(Chromium.start(1440, 900));
        screen.driver.get(url);
        return screen;
    }

    // ── does ────────────────────────────────────────────────────────────────────────────────────────────────────────

    void write(String pane, String text) {
        WebElement field = driver.findElement(By.cssSelector(pane + " textarea"));
        Await.until("one can write in " + pane, LONG, field::isEnabled);
        field.sendKeys(text);
        field.sendKeys(Keys.ENTER);
    }

    /** What a script gives that may wait for something. */
    @Nullable
    Object promised(String script) {
        driver.manage().timeouts().scriptTimeout(LONG);
        return driver.executeAsyncScript("const done = arguments[arguments.length - 1];" + "(async () => {" + script
                + "})().then(done, error => done('failed: ' + error));");
    }

    void click(String css) {
        Await.until(css + " can be clicked", LONG, () -> {
            driver.findElement(By.cssSelector(css)).click();
            return true;
        });
    }

    /** The conversation of this visitor. */
    void choose(String name) {
        Await.until("the conversation of " + name, LONG, () -> {
            for (WebElement line : driver.findElements(By.cssSelector("#agent .lines button"))) {
                if (line.findElement(By.cssSelector(".name")).getText().equals(name)) {
                    line.click();
                    return true;
                }
            }
            return false;
        });
        awaitText("#agent .crumb h3", name);
    }

    /** Turns to no conversation, as somebody does whose window is narrow. */
    void leaveAll() {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 420, "height", 800, "deviceScaleFactor", 1, "mobile", false));
        if (count("#agent.opened") > 0) {
            click("#agent .back");
        }
        Await.until("the list alone", LONG, () -> count("#agent.opened") == 0);
    }

    void reload() {
        driver.navigate().refresh();
    }

    void setOffline(boolean offline) {
        wasOffline |= offline;
        driver.executeCdpCommand("Network.enable", Map.of());
        driver.executeCdpCommand(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    // ── sees ────────────────────────────────────────────────────────────────────────────────────────────────────────

    void awaitLive(String pane) {
        awaitCss(pane + " .presence[data-state=live]");
    }

    void awaitCss(String css) {
        Await.until(css + " is there", LONG, () -> count(css) > 0);
    }

    void awaitText(String css, String text) {
        Await.until("'" + text + "' in " + css, LONG, () -> texts(css).stream().anyMatch(one -> one.contains(text)));
    }

    void awaitVerdict(String verdict, int sent) {
        Await.until("the verdict is " + verdict + " of " + sent, Duration.ofSeconds(150), () -> {
            if (count(".verdict[data-verdict=bad]") > 0) {
                throw new IllegalStateException(text(".counter"));
            }
            return count(".verdict[data-verdict=" + verdict + "]") > 0 && number("acknowledged") == sent;
        });
    }

    /** All that was sent so far has arrived. */
    void awaitVerdict(String verdict) {
        Await.until("the verdict is " + verdict, Duration.ofSeconds(150), () -> {
            if (count(".verdict[data-verdict=bad]") > 0) {
                throw new IllegalStateException(text(".counter"));
            }
            return count(".verdict[data-verdict=" + verdict + "]") > 0;
        });
    }

    void awaitCount(String row, int least) {
        Await.until(least + " " + row, LONG, () -> number(row) >= least);
    }

    int number(String row) {
        return Integer.parseInt(text("[data-count=" + row + "]"));
    }

    String text(String css) {
        return String.valueOf(driver.findElement(By.cssSelector(css)).getDomProperty("textContent"));
    }

    /** As the page has them, whether scrolled into view or not. */
    List<String> texts(String css) {
        try {
            return driver.findElements(By.cssSelector(css)).stream()
                    .map(element -> String.valueOf(element.getDomProperty("textContent")))
                    .toList();
        } catch (StaleElementReferenceException e) {
            return List.of(); // it was drawn again while we read
        }
    }

    String attribute(String css, String name) {
        return String.valueOf(driver.findElement(By.cssSelector(css)).getDomAttribute(name));
    }

    int count(String css) {
        return driver.findElements(By.cssSelector(css)).size();
    }

    String title() {
        return driver.getTitle();
    }

    /** Without its database connections the server answers 503 for a moment. */
    void faultsOfTheCut() {
        wasCut = true;
    }

    /** What the browser complains of; that there is no network is no fault if we have taken it away. */
    List<String> faults() {
        return driver.manage().logs().get("browser").getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> !wasOffline || !message.contains("ERR_INTERNET_DISCONNECTED"))
                .filter(message -> !wasCut || !message.contains("503"))
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
