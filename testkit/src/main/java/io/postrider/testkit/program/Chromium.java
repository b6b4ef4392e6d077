package io.postrider.testkit.program;

import java.io.File;
import java.util.Map;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** A real headless browser: the machine's Chromium with its own driver. */
public final class Chromium {
    private Chromium() {}

    /** Starts one with a window of this size; it records the console output of pages. Call {@code quit()} to end it. */
    public static ChromeDriver start(int width, int height) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary("/usr/bin/chromium");
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--window-size=" + width + "," + height);
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File("/usr/bin/chromedriver"))
                .build();
        return new ChromeDriver(service, options);
    }
}
