package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.addresses;
import static io.postrider.webhook.TestEndpoint.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.SendResult;
import io.postrider.testkit.Await;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificate is the name's in the URL, whatever the address. */
@Tag("security")
class WebhookTlsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

    @TempDir
    static Path folder;

    private static SSLContext context;

    /** A certificate for hooks.example and for 127.0.0.9, by the JDK's own tool. */
    @BeforeAll
    static void makeCertificate() throws Exception {
        Path store = folder.resolve("store.p12");
        String password = UUID.randomUUID().toString();
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "hooks",
                        "-dname",
                        "CN=hooks.example",
                        "-validity",
                        "2",
                        "-ext",
                        "SAN=dns:hooks.example,ip:127.0.0.9",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        password)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, password.toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, password.toCharArray());
        KeyStore believed = KeyStore.getInstance("PKCS12");
        believed.load(null, null);
        believed.setCertificateEntry("hooks", keys.getCertificate("hooks"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(believed);
        context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    }

    @Test
    void the_name_of_the_url_is_asked_for_and_checked_though_the_address_is_connected_to() throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.secured(context)) {
            AtomicReference<List<SNIServerName>> asked = new AtomicReference<>();
            endpoint.answering((exchange, one) -> {
                SSLSession session = ((com.sun.net.httpserver.HttpsExchange) exchange).getSSLSession();
                asked.set(((ExtendedSSLSession) session).getRequestedServerNames());
                TestEndpoint.status(204).answer(exchange, one);
            });
            try (WebhookSink sink = sink(endpoint, "hooks.example", context)) {
                assertThat(TestEndpoint.send(sink, List.of(event(1), event(2)))).hasToString("whole");
            }
            assertThat(asked.get()).hasToString("[type=host_name (0), value=hooks.example]");
            assertThat(endpoint.received).hasSize(2);
            assertThat(endpoint.received.get(0).header("host")).isEqualTo("hooks.example:" + endpoint.port());
        }
    }

    @Test
    void a_certificate_of_another_name_is_not_believed() throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.secured(context)) {
            for (String other : List.of("other.example", "sub.hooks.example", "127.0.0.1")) {
                assertNotBelieved(endpoint, other, context);
            }
            assertThat(endpoint.received).isEmpty();
        }
    }

    @Test
    void a_certificate_that_nobody_vouches_for_is_not_believed() throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.secured(context)) {
            assertNotBelieved(endpoint, "hooks.example", SSLContext.getDefault());
            assertThat(endpoint.received).isEmpty();
        }
    }

    /** It would be taken for the answer to the next request, and that event for delivered. */
    @Test
    void what_comes_unasked_ends_a_connection() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch said = new CountDownLatch(1);
        try (RawEndpoint endpoint = new RawEndpoint(talk -> {
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(talk.socket, null, false);
            socket.setUseClientMode(false);
            RawEndpoint.Talk secured = new RawEndpoint.Talk(socket, talk.number);
            while (!secured.request().isEmpty()) {
                if (said.getCount() == 0 && talk.number == 1) {
                    return;
                }
                secured.say(OK);
                if (talk.number == 1) {
                    answered.await();
                    secured.say(OK);
                    said.countDown();
                }
            }
        })) {
            String host = "hooks.example:" + endpoint.port();
            WebhookOptions options = WebhookOptions.signedWith(WebhookOptions.newSecret())
                    .withAllowedHosts(host)
                    .withTls(context);
            try (WebhookSink sink = WebhookSink.to(
                    URI.create("https://" + host + "/"), options, any -> addresses("127.0.0.1"), Clock.systemUTC())) {
                assertThat(TestEndpoint.send(sink, List.of(event(1))).isWhole()).isTrue();
                answered.countDown();
                said.await();
                Await.until("it has arrived, unread", () -> isUnreadFrom(endpoint.port()));
                assertThat(TestEndpoint.send(sink, List.of(event(2))).isWhole()).isTrue();
                assertThat(endpoint.connections).hasValue(2);
            }
        }
    }

    /** Whether, according to Linux, a socket that is connected to this port has unread bytes. */
    private static boolean isUnreadFrom(int port) throws Exception {
        Pattern unread = Pattern.compile(
                String.format(": \\p{XDigit}+:\\p{XDigit}+ \\p{XDigit}+:%04X 01 \\p{XDigit}+:(?!00000000)", port));
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))
                    && unread.matcher(Files.readString(Path.of(table))).find()) {
                return true;
            }
        }
        return false;
    }

    private static void assertNotBelieved(TestEndpoint endpoint, String host, SSLContext tls) throws Exception {
        try (WebhookSink sink = sink(endpoint, host, tls)) {
            SendResult receipt = TestEndpoint.send(sink, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.error())
                    .hasMessageContaining("no connection: ")
                    .hasRootCauseInstanceOf(java.security.GeneralSecurityException.class);
        }
    }

    private static WebhookSink sink(TestEndpoint endpoint, String host, SSLContext tls) {
        String trusted = host + ":" + endpoint.port();
        WebhookOptions options = WebhookOptions.signedWith(WebhookOptions.newSecret())
                .withAllowedHosts(trusted)
                .withTls(tls);
        return WebhookSink.to(
                URI.create("https://" + trusted + "/"), options, any -> addresses("127.0.0.1"), Clock.systemUTC());
    }
}
