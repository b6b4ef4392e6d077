package io.postrider.webhook;

import static io.postrider.webhook.TestEndpoint.COURSE;
import static io.postrider.webhook.TestEndpoint.addresses;
import static io.postrider.webhook.TestEndpoint.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.PostriderException;
import io.postrider.SendResult;
import io.postrider.webhook.Endpoint.Resolver;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where nothing is sent, however it is spelt and whatever DNS says. */
@Tag("security")
class WebhookAddressTest {
    private static final String PUBLIC = "93.184.216.34";
    private final WebhookOptions options = WebhookOptions.signedWith(WebhookOptions.newSecret());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "10.255.255.255",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.0.1",
                "192.168.255.255",
                "169.254.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "192.0.0.8",
                "192.0.2.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.7",
                "203.0.113.9",
                "192.88.99.1",
                "240.0.0.1",
                "254.1.2.3",
                "::1",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "fc00::1",
                "fd12:3456::1",
                "2001:db8::1",
                "3fff::1",
                "2001::1",
                "2001:2::1",
                "2001:20::1",
                "100::1",
                "4000::1",
                "5f00::1",
                "::5",
                "::7f00:1",
                "::a00:1",
                "64:ff9b::7f00:1",
                "64:ff9b::a00:1",
                "64:ff9b::c0a8:101",
                "64:ff9b:1::1",
                "2002:7f00:1::",
                "2002:a00:1::1",
                "2002:c0a8:101::1",
                "2002:6440:1::1",
                "2001:0:5db8:d822::80ff:fffe",
                "2a00:1450::5efe:a00:1",
                "2a00:1450::200:5efe:c0a8:101",
                "::ffff:0:a00:1"
            })
    void an_address_that_is_not_public_is_refused_unless_its_host_is_trusted(String address) throws Exception {
        assertThat(AddressRule.objection(InetAddress.getByName(address), false)).isNotNull();
        assertThat(AddressRule.objection(InetAddress.getByName(address), true)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "fd00:ec2::254",
                "0.0.0.0",
                "0.1.2.3",
                "::",
                "224.0.0.1",
                "239.255.255.255",
                "255.255.255.255",
                "ff02::1",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe",
                "2002:a9fe:a9fe::1",
                "::a9fe:a9fe",
                "::ffff:0:a9fe:a9fe",
                "2a00:1450::5efe:a9fe:a9fe"
            })
    void a_metadata_service_and_what_is_no_single_host_are_refused_even_then(String address) throws Exception {
        assertThat(AddressRule.objection(InetAddress.getByName(address), false)).isNotNull();
        assertThat(AddressRule.objection(InetAddress.getByName(address), true)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PUBLIC,
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.1",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2a00:1450:4001:80b::200e",
                "2606:4700::1111",
                "64:ff9b::5db8:d822",
                "2002:5db8:d822::1"
            })
    void a_public_address_is_fine(String address) throws Exception {
        assertThat(AddressRule.objection(InetAddress.getByName(address), false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://0x7f.1/",
                "https://0x7f000001/",
                "https://0x7f.0x0.0x0.0x1/",
                "https://2130706433/",
                "https://127.1/",
                "https://127.0.1/",
                "https://0177.0.0.1/",
                "https://127.0.0.01/",
                "https://017700000001/",
                "https://1.2.3.4.5/",
                "https://256.1.1.1/",
                "https://127.0.0.1./",
                "https://localhost./",
                "https://example.com./",
                "https://1/",
                "https://example.0x1/",
                "https://a.b.1/",
                "https://[fe80::1%25eth0]/",
                "https://under_score.example/",
                "https://-a.example/",
                "https://a..example/",
                "https:///path",
                "https:opaque",
                "https://①②⑦.⓪.⓪.①/",
                "https://１２７.0.0.1/",
                "https://exämple.org/"
            })
    void an_odd_spelling_of_a_host_is_refused(String url) throws Exception {
        assertThatThrownBy(() -> sink(url, host -> addresses(PUBLIC)))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith("endpoint must have a host that is a name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://127.0.0.1/ | host 127.0.0.1 has a loopback address, 127.0.0.1, which is not allowed; to allow"
                        + " it, name the host: withAllowedHosts(\"127.0.0.1\")",
                "https://[::ffff:10.0.0.1]/ | host 10.0.0.1 has a private address",
                "https://[::ffff:a00:1]/ | host 10.0.0.1 has a private address",
                "https://[::1]/ | has a loopback address",
                "https://[64:ff9b::10.0.0.1]/ | has a private address",
                "https://169.254.169.254/latest/meta-data | has a metadata service's address",
                "https://user:word@example.com/ | endpoint must have no user, password or fragment",
                "https://example.com:443@127.0.0.1/ | endpoint must have no user, password or fragment",
                "https://example.com/#top | endpoint must have no user, password or fragment",
                "http://example.com/ | endpoint must begin with https://; plain http is for hosts that are trusted",
                "ftp://example.com/ | endpoint must begin with https://, began with 'ftp:'",
                "file:///etc/passwd | endpoint must begin with https://, began with 'file:'",
                "/hook | endpoint must begin with https://, began with ':'",
                "https://example.com:22/ | port 22 of the endpoint is not one of [",
                "https://example.com:6379/ | port 6379 of the endpoint is not one of [",
                "https://example.com:0/ | port 0 of the endpoint is not one of [",
                "https://example.com:99999/ | port 99999 of the endpoint is not one of ["
            })
    void a_url_that_leads_astray_is_refused_when_the_sink_is_made(String url, String message) throws Exception {
        assertThatThrownBy(() -> sink(url, host -> addresses(PUBLIC)))
                .isInstanceOf(PostriderException.class)
                .extracting(e -> ((PostriderException) e).kind())
                .isEqualTo(PostriderException.Kind.REFUSED);
        assertThatThrownBy(() -> sink(url, host -> addresses(PUBLIC))).hasMessageContaining(message);
    }

    @Test
    void one_bad_address_among_good_ones_is_enough() throws Exception {
        assertThatThrownBy(() -> sink("https://hooks.example/", host -> addresses(PUBLIC, "10.0.0.1")))
                .hasMessageContaining("host hooks.example has a private address, 10.0.0.1");
    }

    @Test
    void a_host_that_dns_does_not_know_yet_is_no_reason_not_to_start() throws Exception {
        Resolver resolver = host -> {
            throw new UnknownHostException(host);
        };
        try (WebhookSink sink = sink("https://hooks.example/", resolver)) {
            SendResult receipt = sink.send(COURSE, List.of(event(1)));
            assertThat(receipt.isUnavailable()).isTrue();
            assertThat(receipt.error())
                    .hasMessage("webhook https://hooks.example: host hooks.example is not known to DNS");
        }
    }

    @Test
    void trust_is_for_one_name_and_where_a_port_is_named_for_that_port() throws Exception {
        WebhookOptions trusting =
                options.withAllowedHosts("LOCALHOST", "hooks.internal:8443", "[::1]:9000", "10.0.0.7");
        Resolver inside = host -> addresses("10.0.0.1");
        for (String fine : List.of(
                "http://localhost/",
                "https://Localhost/",
                "https://hooks.internal:8443/",
                "http://[0:0::1]:9000/",
                "https://10.0.0.7/")) {
            assertThatCode(() -> WebhookSink.to(URI.create(fine), trusting, inside, Clock.systemUTC())
                            .close())
                    .doesNotThrowAnyException();
        }
        for (String other : List.of(
                "http://localhost:8080/",
                "https://hooks.internal/",
                "https://other.internal/",
                "https://sub.localhost/",
                "https://localhost.example/",
                "https://[::1]/",
                "https://10.0.0.8/")) {
            assertThatThrownBy(() -> WebhookSink.to(URI.create(other), trusting, inside, Clock.systemUTC()))
                    .as(other)
                    .isInstanceOf(PostriderException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "http://a", "a/b", "a:b", "u@a", "*.example", "a?x", "0x7f.1", "a#b", "a\n"})
    void an_entry_of_the_list_of_trusted_hosts_is_a_host(String entry) throws Exception {
        assertThatThrownBy(() -> options.withAllowedHosts(entry))
                .isInstanceOf(PostriderException.class)
                .hasMessageStartingWith("allowed host must ");
    }

    @Test
    void a_name_that_turns_to_the_inside_later_is_not_connected_to() throws Exception {
        try (RawEndpoint inside = new RawEndpoint(talk -> talk.say("HTTP/1.1 200 OK\r\n\r\n"))) {
            AtomicReference<List<InetAddress>> answer = new AtomicReference<>(addresses(PUBLIC));
            WebhookOptions anyPort = options.withPorts(inside.port());
            URI url = URI.create("https://hooks.example:" + inside.port() + "/");
            try (WebhookSink sink = WebhookSink.to(url, anyPort, host -> answer.get(), Clock.systemUTC())) {
                for (String turned : List.of("127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254")) {
                    answer.set(addresses(turned));
                    SendResult receipt = sink.send(COURSE, List.of(event(1)));
                    assertThat(receipt.isUnavailable()).isTrue();
                    assertThat(receipt.error()).hasMessageContaining("which is not allowed");
                }
                answer.set(addresses(PUBLIC, "127.0.0.1"));
                assertThat(sink.send(COURSE, List.of(event(1))).error()).hasMessageContaining("a loopback address");
            }
            assertThat(inside.connections).hasValue(0);
        }
    }

    /** DNS that answers well for the check and badly for the connection, for whoever asks twice. */
    @Test
    void the_address_that_was_checked_is_the_one_that_is_connected_to() throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.start()) {
            AtomicInteger asked = new AtomicInteger();
            Resolver flipping = host -> addresses(asked.incrementAndGet() <= 2 ? "127.0.0.1" : "169.254.169.254");
            String host = "hooks.internal:" + endpoint.port();
            try (WebhookSink sink = WebhookSink.to(
                    URI.create("http://" + host + "/"), options.withAllowedHosts(host), flipping, Clock.systemUTC())) {
                assertThat(asked).hasValue(1);
                assertThat(sink.send(COURSE, List.of(event(1))).isWhole()).isTrue();
                assertThat(asked).as("once for the connection").hasValue(2);
                assertThat(sink.send(COURSE, List.of(event(2))).isWhole()).isTrue();
                assertThat(asked).as("not for a connection that is there").hasValue(2);
            }
            assertThat(endpoint.received).extracting(one -> one.header("host")).containsExactly(host, host);
        }
    }

    @Test
    void an_address_that_does_not_answer_leaves_the_turn_to_the_next() throws Exception {
        try (TestEndpoint endpoint = TestEndpoint.start()) {
            String host = "hooks.internal:" + endpoint.port();
            try (WebhookSink sink = WebhookSink.to(
                    URI.create("http://" + host + "/"),
                    options.withAllowedHosts(host),
                    any -> addresses("127.0.0.99", "127.0.0.1"),
                    Clock.systemUTC())) {
                assertThat(sink.send(COURSE, List.of(event(1))).isWhole()).isTrue();
            }
        }
    }

    private WebhookSink sink(String url, Resolver resolver) {
        return WebhookSink.to(URI.create(url), options, resolver, Clock.systemUTC());
    }
}
