package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.cli.Main;
import io.postrider.cli.terminal.Terminal;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code postrider serve} as a process: what it says, what it refuses, and how it ends. */
@PostgresTest
@Tag("security")
class ServeCommandTest {
    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final String CANARY = "canary-" + System.nanoTime();

    @TempDir
    private Path directory;

    private Process serve(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.postrider.cli.Main",
                "serve"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out().toFile()).redirectError(err().toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("POSTRIDER"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Path out() {
        return directory.resolve("out");
    }

    private Path err() {
        return directory.resolve("err");
    }

    private String said(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private String awaitSaid(Process process, Path file, String pattern) {
        return Await.value("the server says " + pattern, START, () -> {
            Matcher found = Pattern.compile(pattern).matcher(said(file));
            if (found.find()) {
                return java.util.Optional.of(found.group(1));
            }
            if (!process.isAlive()) {
                throw new IllegalStateException("it has ended: " + said(err()) + said(out()));
            }
            return java.util.Optional.empty();
        });
    }

    @Test
    void it_serves_by_variables_speaks_json_gives_a_development_token_and_ends_in_order(TestDatabase database)
            throws Exception {
        Process process = serve(
                Map.of(
                        "POSTRIDER_DATABASE_URL", database.jdbcUrl(),
                        "POSTRIDER_NODE", "from-the-environment",
                        "POSTRIDER_PAYLOAD_CAP", "2000",
                        "POSTRIDER_GATEWAY_TOPICS", "orders,chat",
                        "POSTRIDER_HTTP_METRICS", "open"),
                "--port",
                "0");
        try {
            String port = awaitSaid(process, out(), "\"event\":\"server_started\",\"port\":([0-9]+)");
            String token = awaitSaid(process, err(), "export TOKEN=(\\S+)");
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest emit = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/v1/topics/orders/events"))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"t\",\"payload\":\"" + CANARY + "\"}"))
                    .build();
            assertThat(client.send(emit, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
            assertThat(client.send(
                                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/postrider.js"))
                                            .build(),
                                    BodyHandlers.ofString())
                            .body())
                    .contains("export");
            long began = System.nanoTime();
            process.destroy();
            assertThat(process.waitFor(60 + GRACE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(GRACE);
            assertLinesAreJson(token, database);
            Await.until("no session is left", () -> database.sessions().isEmpty());
        } finally {
            process.destroyForcibly();
        }
    }

    private void assertLinesAreJson(String token, TestDatabase database) throws IOException {
        String all = said(out());
        JsonMapper mapper = new JsonMapper();
        List<String> events = new ArrayList<>();
        for (String line : all.lines().toList()) {
            JsonNode json = mapper.readTree(line);
            events.add(json.path("event").asString(""));
        }
        assertThat(events)
                .contains(
                        "database_chosen",
                        "node_started",
                        "server_started",
                        "development_key",
                        "insecure_setting",
                        "node_stopped");
        assertThat(all).contains("from-the-environment", "payload_cap=2000");
        assertThat(all)
                .as("no secret and no payload in the log")
                .doesNotContain(token, CANARY, database.server().password());
    }

    @Test
    @Tag("slow")
    void without_a_database_it_starts_one_that_can_be_kept() throws Exception {
        Path data = directory.resolve("data");
        for (int round = 1; round <= 2; round++) {
            Process process = serve(Map.of(), "--port", "0", "--data", data.toString(), "--roles", "api,worker");
            try {
                String port = awaitSaid(process, out(), "\"event\":\"server_started\",\"port\":([0-9]+)");
                String token = awaitSaid(process, err(), "export TOKEN=(\\S+)");
                assertThat(said(out())).contains("database_embedded");
                HttpClient client = HttpClient.newHttpClient();
                HttpRequest emit = HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + port + "/v1/topics/orders/events"))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"t\",\"payload\":1}"))
                        .build();
                assertThat(client.send(emit, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(201);
                int expected = round;
                Await.until(
                        "the events of all rounds are read",
                        START,
                        () -> new JsonMapper()
                                        .readTree(client.send(
                                                        HttpRequest.newBuilder(emit.uri())
                                                                .header("Authorization", "Bearer " + token)
                                                                .build(),
                                                        BodyHandlers.ofString())
                                                .body())
                                        .path("events")
                                        .size()
                                == expected);
            } finally {
                process.destroy();
                assertThat(process.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void a_start_that_is_refused_says_why_in_one_line_and_ends_with_a_code(TestDatabase database) throws Exception {
        Process process =
                serve(Map.of("POSTRIDER_DATABASE_URL", database.jdbcUrl()), "--bind", "0.0.0.0", "--port", "0");
        assertRefusedInOneLine(process, 2, "postrider.auth.secrets");
    }

    @Test
    void a_port_that_is_taken_is_told_before_a_database_is_started() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process process = serve(Map.of(), "--port", Integer.toString(taken.getLocalPort()));
            assertRefusedInOneLine(
                    process, 4, "port " + taken.getLocalPort() + " is in use; choose another with --port");
            assertThat(said(out())).doesNotContain("database_embedded");
        }
    }

    @Test
    void a_file_of_settings_that_is_no_yaml_is_told_by_its_line() throws Exception {
        Path file = Files.writeString(directory.resolve("broken.yaml"), "postrider:\n  roles: [\n");
        assertRefusedInOneLine(serve(Map.of(), "--config", file.toString()), 2, "is not valid YAML");
    }

    @Test
    void variables_of_the_environment_that_open_the_server_to_others_are_refused_without_a_key(TestDatabase database)
            throws Exception {
        String url = database.jdbcUrl();
        assertRefusedInOneLine(
                serve(Map.of("POSTRIDER_DATABASE_URL", url, "SERVER_ADDRESS", "0.0.0.0"), "--port", "0"),
                2,
                "would listen on 0.0.0.0");
        assertRefusedInOneLine(
                serve(Map.of("POSTRIDER_DATABASE_URL", url, "POSTRIDER_HTTP_BIND", ""), "--port", "0"),
                2,
                "POSTRIDER_HTTP_BIND is set and blank");
    }

    private void assertRefusedInOneLine(Process process, int code, String words) throws Exception {
        assertThat(process.waitFor(START.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(said(err()).strip().lines().toList())
                .singleElement()
                .asString()
                .startsWith("postrider: ")
                .contains(words);
        assertThat(process.exitValue()).isEqualTo(code);
        assertThat(said(out())).doesNotContain("\tat ", "stack_trace");
    }

    /** In this very process: none of these comes so far that anything is started. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --port=99999                                     | --port) must be 0..65535, was 99999
                    --config=/no/such.yaml                           | --config must be a readable file, was /no/such.yaml
                    --config=/dev/null                               | --config must be a readable file
                    --roles=apix                                     | postrider.roles must be one of api, worker, gateway; was 'apix'
                    --set=postrider.gateway.feed=x                   | postrider.gateway.feed must be one of log, redis; was 'x'
                    --set=postrider.gateway.format=xml               | postrider.gateway.format must be one of cloudevents, payload, payload-with-id; was 'xml'
                    --set=postrider.gateway.channel-format=xml       | postrider.gateway.channel-format must be one of cloudevents, payload
                    --set=postrider.nope=1                           | unknown setting postrider.nope
                    --set=postrider.relays.audit.type=kafak          | did you mean 'kafka'
                    """)
    void what_cannot_be_served_is_wrong_use(String option, String words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(err, true, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(InputStream.nullInputStream(), print, print, Map.of(), Terminal.Ttys.NONE);
        List<String> command = new ArrayList<>(List.of("serve", "--log=text", "--data=/no/such/place", option));
        if (!option.startsWith("--port")) {
            command.add("--port=0");
        }
        int code = Main.run(terminal, command.toArray(String[]::new));
        assertThat(err.toString(StandardCharsets.UTF_8).strip().lines())
                .singleElement()
                .asString()
                .startsWith("postrider: ")
                .contains(words);
        assertThat(code).isEqualTo(2);
    }
}
