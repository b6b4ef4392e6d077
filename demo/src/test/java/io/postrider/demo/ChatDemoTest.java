package io.postrider.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Listeners;
import io.postrider.cli.demo.BrowserDemo;
import io.postrider.livechat.LiveChat;
import io.postrider.testkit.Await;
import io.postrider.testkit.NeedsProgram;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import io.postrider.testkit.program.Chromium;
import io.postrider.testkit.program.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

/** The chat on the real server, as {@code postrider demo} runs it: three processes, a browser, and Redis where there is one. */
@NeedsProgram({"chromium", "chromedriver"})
@PostgresTest
@Tag("slow")
@Tag("security")
class ChatDemoTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    @Test
    void what_is_written_while_the_worker_is_killed_is_there_once(TestDatabase database) throws IOException {
        try (BrowserDemo.Play play = new ChatDemo(Map.of()).open(database.jdbcUrl(), 0, true)) {
            writeThroughAKill(play.url(), "queue");
            assertBroadcast(database, "api");
        }
    }

    @Test
    void the_same_through_a_redis_stream_and_a_redis_channel(TestDatabase database) throws IOException {
        try (RedisProcess redis = RedisProcess.running();
                BrowserDemo.Play play = new ChatDemo(Map.of("REDIS_HOST", "127.0.0.1", "REDIS_PORT", "" + redis.port()))
                        .open(database.jdbcUrl(), 0, true)) {
            writeThroughAKill(play.url(), "redis");
            assertBroadcast(database, "worker");
        }
    }

    /** With and without Redis, one listener of this name passes the events on, and its cursor reaches the end of the topic. */
    private static void assertBroadcast(TestDatabase database, String runsIn) {
        Postrider postrider = Postrider.on(database.dataSource());
        Listeners.Status broadcast = Await.value(
                "the listener broadcast has passed on everything in the " + runsIn,
                LONG,
                () -> postrider.listeners().list().stream()
                        .filter(listener -> listener.name().equals(LiveChat.BROADCAST))
                        .filter(listener -> listener.position() > 0 && listener.lag() == 0)
                        .findFirst());
        assertThat(broadcast.topic()).isEqualTo(LiveChat.TOPIC);
        assertThat(broadcast.kind()).isEqualTo("relay");
        assertThat(broadcast.deadLetters()).isZero();
    }

    @Test
    void while_redis_is_away_no_message_is_taken_and_the_answer_says_so(TestDatabase database) throws Exception {
        try (RedisProcess redis = RedisProcess.running();
                BrowserDemo.Play play = new ChatDemo(Map.of("REDIS_HOST", "127.0.0.1", "REDIS_PORT", "" + redis.port()))
                        .open(database.jdbcUrl(), 0, true)) {
            String token =
                    post(play.url(), "session", null, "{}").body().replaceAll(".*\"token\":\"([^\"]+)\".*", "$1");
            String message = "{\"messages\":[{\"id\":\"client-01\",\"text\":\"hello\"}]}";
            assertThat(post(play.url(), "messages", token, message).statusCode())
                    .isEqualTo(202);
            redis.kill9();
            String never = "{\"promises\":[{\"id\":\"client-02\",\"receipt\":\"1-1\"}],\"after\":0}";
            for (HttpResponse<String> answer :
                    List.of(post(play.url(), "messages", token, message), post(play.url(), "verify", token, never))) {
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.body()).contains("Redis does not answer");
            }
        }
    }

    private static HttpResponse<String> post(String url, String path, @Nullable String token, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "chat/api/" + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void writeThroughAKill(String url, String name) throws IOException {
        ChromeDriver driver = Chromium.start(1440, 900);
        try {
            driver.get(url);
            awaitCss(driver, "#visitor .presence[data-state=live]");
            awaitCss(driver, "#agent .presence[data-state=live]");
            write(driver, "Where is my parcel 4711?");
            awaitCss(driver, "#visitor .message.companion");
            awaitText(driver, "[data-status=kill-worker]", " and pid "); // both are up
            driver.findElement(By.cssSelector("[data-trouble=kill-worker]")).click();
            awaitText(driver, ".journal", "was killed (kill -9)");
            for (int i = 1; i <= 5; i++) {
                write(driver, "while it is down, " + i);
            }
            driver.findElement(By.cssSelector("[data-trouble=cut-database]")).click();
            awaitText(driver, ".journal", "database connections were cut");
            awaitText(driver, ".journal", "A new worker");
            Await.until(
                    "all are acknowledged, saved and seen",
                    LONG,
                    () -> driver.findElements(By.cssSelector(".verdict[data-verdict=good]"))
                                            .size()
                                    > 0
                            && text(driver, "[data-count=agent]").equals("6"));
            assertThat(text(driver, "[data-count=missing]")).isEqualTo("0");
            assertThat(text(driver, "[data-count=twice]")).isEqualTo("0");
        } finally {
            Files.write(Path.of("target", "stage-" + name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
            driver.quit();
        }
    }

    @Test
    void pages_api_and_client_are_served_and_a_foreign_page_is_refused(TestDatabase database) throws Exception {
        try (BrowserDemo.Play play = new ChatDemo(Map.of()).open(database.jdbcUrl(), 0, true)) {
            assertThat(get(play.url(), "").body()).contains("<title>");
            assertThat(get(play.url(), "postrider.js").body()).contains("export");
            assertThat(get(play.url(), "v1/openapi.json").body()).contains("/v1/stream");
            assertThat(get(play.url(), "v1/listeners").statusCode()).isEqualTo(401);
            assertThat(get(play.url(), "health/ready").statusCode()).isEqualTo(200);
            String agent = post(play.url(), "session", null, "{\"agent\":\"anna\"}")
                    .body()
                    .replaceAll(".*\"token\":\"([^\"]+)\".*", "$1");
            String write = "{\"type\":\"ingest\",\"payload\":{}}";
            for (String path : List.of("v1/queues/chat-ingest/jobs", "v1/topics/chat/events")) {
                assertThat(post(play.url(), "../../" + path, agent, write).statusCode())
                        .as("a token of the chat writes only through the chat: " + path)
                        .isEqualTo(403);
            }
            HttpResponse<String> foreign = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(play.url() + "v1/stream?topic=chat&room=user:x"))
                                    .header("Origin", "https://evil.example")
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(foreign.statusCode()).isEqualTo(403);
        }
    }

    @Test
    void a_port_that_is_taken_is_named_with_what_to_do(TestDatabase database) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> new ChatDemo(Map.of()).open(database.jdbcUrl(), taken.getLocalPort(), true))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("port " + taken.getLocalPort() + " is in use")
                    .hasMessageContaining("--port");
        }
    }

    private static HttpResponse<String> get(String url, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    // ── a browser ───────────────────────────────────────────────────────────────────────────────────────────────────

    private static void write(ChromeDriver driver, String text) {
        WebElement field = driver.findElement(By.cssSelector("#visitor textarea"));
        Await.until("one can write", LONG, field::isEnabled);
        field.sendKeys(text);
        field.sendKeys(Keys.ENTER);
    }

    private static void awaitCss(ChromeDriver driver, String css) {
        Await.until(css, LONG, () -> !driver.findElements(By.cssSelector(css)).isEmpty());
    }

    private static void awaitText(ChromeDriver driver, String css, String text) {
        Await.until("'" + text + "' in " + css, LONG, () -> text(driver, css).contains(text));
    }

    private static String text(ChromeDriver driver, String css) {
        return String.valueOf(driver.findElement(By.cssSelector(css)).getDomProperty("textContent"));
    }
}
