package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests whose end a proxy could see elsewhere than the server does. Each is sent with a second request behind it, which must
 * never be answered: one answer, and the connection is closed.
 */
@PostgresTest(per = PostgresTest.Per.CLASS)
@Tag("security")
class SmugglingTest {
    private static final String SMUGGLED = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String EVENT = "{\"type\":\"a\",\"payload\":1}";
    private static LiveServer server;
    private static String operator;

    @BeforeAll
    static void serve(TestDatabase database) {
        server = LiveServer.on(
                database, Map.of("postrider.http.head-timeout", "2s", "postrider.http.body-timeout", "2s"));
        operator = server.operator();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    /** In a corpus, {@code \r}, {@code \n} and the like are written out; LEN is the length of the event in hexadecimal. */
    private static String bytes(String written) {
        return written.replace("\\r", "\r")
                .replace("\\n", "\n")
                .replace("\\0", "\0")
                .replace("\\t", "\t")
                .replace("\\v", "\u000b")
                .replace("LEN", Integer.toHexString(EVENT.length()))
                .replace("EVENT", EVENT);
    }

    private static String post(String version, String headers, String body) {
        return "POST /v1/topics/orders/events HTTP/" + version + "\r\nHost: localhost\r\nAuthorization: Bearer "
                + operator + "\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body;
    }

    private static void assertOneAnswer(String request, String status, String corpus) throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            String answer = http.send(request + SMUGGLED).readToEnd();
            assertThat(answer).as(corpus).startsWith("HTTP/1.1 " + status);
            assertThat(answer.split("HTTP/1\\.1 [0-9]{3}", -1))
                    .as(corpus + ": " + answer)
                    .hasSize(2);
            assertThat(answer).as(corpus).doesNotContain("\"up\"");
            if (!status.equals("201")) {
                assertThat(answer)
                        .as(corpus)
                        .contains("application/problem+json", "\"status\":" + status, "\"detail\":", "\"next\":")
                        .doesNotContain("Exception", "apache");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Content-Length: 24\\r\\nContent-Length: 24\\r\\n                      | EVENT  | 400
            Content-Length: 24\\r\\nContent-Length: 0\\r\\n                       | EVENT  | 400
            Content-Length: 24, 24\\r\\n                                          | EVENT  | 400
            Content-Length: +24\\r\\n                                             | EVENT  | 400
            Content-Length: -1\\r\\n                                              | EVENT  | 400
            Content-Length: 0x18\\r\\n                                            | EVENT  | 400
            Content-Length: 2 4\\r\\n                                             | EVENT  | 400
            Content-Length: 24\\v\\r\\n                                           | EVENT  | 400
            Content-Length: 99999999999999999999\\r\\n                            | EVENT  | 400
            Content-Length:\\r\\n                                                 | EVENT  | 400
            Content-Length : 24\\r\\n                                             | EVENT  | 400
            Content-Length: 24\\0\\r\\n                                           | EVENT  | 400
            Transfer-Encoding: xchunked\\r\\n                                     | 0\\r\\n\\r\\n | 501
            Transfer-Encoding: gzip, chunked\\r\\n                                | 0\\r\\n\\r\\n | 501
            Transfer-Encoding: chunked, identity\\r\\n                            | 0\\r\\n\\r\\n | 400
            Transfer-Encoding: chunked\\r\\nTransfer-Encoding: chunked\\r\\n      | 0\\r\\n\\r\\n | 400
            Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity\\r\\n     | 0\\r\\n\\r\\n | 400
            Transfer-Encoding: \\vchunked\\r\\n                                   | 0\\r\\n\\r\\n | 400
            Transfer-Encoding: "chunked"\\r\\n                                    | 0\\r\\n\\r\\n | 400
            Transfer-Encoding : chunked\\r\\n                                     | 0\\r\\n\\r\\n | 400
            Transfer_Encoding\\0: chunked\\r\\n                                   | 0\\r\\n\\r\\n | 400
            Host: evil.example\\r\\nContent-Length: 24\\r\\n                      | EVENT  | 400
            X-A: b\\rTransfer-Encoding: chunked\\r\\n                             | 0\\r\\n\\r\\n | 400
            X-A\\r\\n                                                             | EVENT  | 400
            Transfer-Encoding: identity\\r\\n                                     | 0\\r\\n\\r\\n | 501
            Content-Length: 24\\n                                                | EVENT  | 400
            X-A: b\\nContent-Length: 24\\r\\n                                   | EVENT  | 400
            X-Folded: a\\r\\n Content-Length: 3\\r\\nContent-Length: 24\\r\\n   | EVENT  | 400
            Transfer-Encoding:\\r\\n chunked\\r\\n                              | 0\\r\\n\\r\\n | 400
            Transfer-Encoding:\\r\\n\\tchunked\\r\\n                             | 0\\r\\n\\r\\n | 400
            content-length: 5\\r\\nTRANSFER-ENCODING: chunked\\r\\n            | 0\\r\\n\\r\\n | 400
            Transfer-Encoding: chunked\\r\\nContent-Length: 5\\r\\n            | 0\\r\\n\\r\\n | 400
            """)
    void framing_that_is_ambiguous_is_refused(String headers, String body, String status) throws IOException {
        assertOneAnswer(post("1.1", bytes(headers), bytes(body)), status, headers);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            0xLEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            +LEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            -LEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            LEN LEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            \\r\\nLEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            FFFFFFFFFFFFFFFF\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            10000000000000018\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            LEN\\rXEVENT\\r\\n0\\r\\n\\r\\n
            LEN\\r\\nEVENTX\\r\\n0\\r\\n\\r\\n
            LEN\\r\\nEVENT\\r\\n0\\r\\nX y: z\\r\\n\\r\\n
            nonsense\\r\\n
            """)
    void a_chunk_that_is_malformed_is_refused(String body) throws IOException {
        assertOneAnswer(post("1.1", "Transfer-Encoding: chunked\r\n", bytes(body)), "400", body);
    }

    /** The head of a second request is checked too, wherever it begins. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Content-Length: 24\\r\\n         | EVENT
            Transfer-Encoding: chunked\\r\\n | LEN;a=b\\r\\nEVENT\\r\\n0\\r\\nX-Trailer: y\\r\\n\\r\\n
            """)
    void the_head_of_the_next_request_is_checked_too(String headers, String body) throws IOException {
        String first = post("1.1", bytes(headers), bytes(body));
        for (String next : List.of(
                "GET /health/live HTTP/1.1\nHost: localhost\r\n\r\n",
                "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n")) {
            try (RawHttp http = RawHttp.to(server)) {
                String answer = http.send(first + next).readToEnd();
                assertThat(answer).as(next).startsWith("HTTP/1.1 201").contains("HTTP/1.1 400");
            }
            try (RawHttp http = RawHttp.to(server)) {
                assertThat(http.send(first).readUntil("\"}")).startsWith("HTTP/1.1 201");
                assertThat(http.send(next).readToEnd()).as(next).contains("HTTP/1.1 400");
            }
        }
    }

    @Test
    void http_1_0_has_no_chunks() throws IOException {
        String headers = "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n";
        assertOneAnswer(post("1.0", headers, bytes("LEN\\r\\nEVENT\\r\\n0\\r\\n\\r\\n")), "400", headers);
        assertOneAnswer(post("1.0", headers + "Content-Length: 24\r\n", EVENT), "400", headers);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET http://evil.example/v1/openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n     | 400
            GET /v1/openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\nHost: localhost\\r\\n\\r\\n   | 400
            GET /v1/openapi.json HTTP/1.1\\r\\nHost: localhost, evil.example\\r\\n\\r\\n          | 400
            GET /v1/openapi.json HTTP/1.1\\r\\nHost: a b\\r\\n\\r\\n                              | 400
            GET /v1/openapi.json HTTP/1.1\\r\\n\\r\\n                                             | 400
            GET /v1/openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\n X: y\\0\\r\\n\\r\\n          | 400
            GET /v1/openapi.json HTTP/9.9\\r\\nHost: localhost\\r\\n\\r\\n                        | 505
            G@T /v1/openapi.json HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n                        | 400
            GET /v1/openapi.json\\vx HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n                    | 400
            GET /v1/openapi.json HTTP/1.1 x\\r\\nHost: localhost\\r\\n\\r\\n                      | 400
            GET /v1/openapi.json HTTP/1.1\\rHost: localhost\\r\\n\\r\\n                           | 400
            GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 5\\r\\n\\r\\n     | 400
            GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n | 400
            """)
    void a_head_that_is_ambiguous_is_refused(String head, String status) throws IOException {
        assertOneAnswer(bytes(head), status, head);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST /v1/topics/orders/events HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: xchunked\\r\\n\\r\\n | 501 | Transfer-Encoding
            GET /health/live HTTP/2.0\\r\\nHost: a\\r\\n\\r\\n                                            | 505 | HTTP/1.1
            CONNECT a:80 HTTP/1.1\\r\\nHost: a:80\\r\\nConnection: close\\r\\n\\r\\n                      | 501 | CONNECT
            """)
    void what_is_not_supported_is_named(String head, String status, String name) throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            assertThat(http.send(bytes(head)).readToEnd())
                    .startsWith("HTTP/1.1 " + status)
                    .contains(name)
                    .doesNotContain("internal error", "Report it to the operator");
        }
    }

    @Test
    void http_2_is_closed_without_an_answer() throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            assertThat(http.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SMUGGLED).readToEnd())
                    .isEmpty();
        }
    }

    /** What RFC 9112 lets a server accept ends where it says, and the next request is answered by itself. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Content-Length:\\t24\\r\\n                         | EVENT
            Transfer-Encoding: chunked\\r\\n                   | LEN;a=b\\r\\nEVENT\\r\\n0\\r\\n\\r\\n
            Transfer-Encoding: CHUNKED\\r\\n                   | LEN\\r\\nEVENT\\r\\n0\\r\\nX-Trailer: y\\r\\n\\r\\n
            """)
    void what_is_odd_and_clear_is_read_to_its_end(String headers, String body) throws IOException {
        try (RawHttp http = RawHttp.to(server)) {
            String answer = http.send(post("1.1", bytes(headers), bytes(body)) + SMUGGLED)
                    .readUntil("\"up\"");
            assertThat(answer).as(headers).startsWith("HTTP/1.1 201").contains("HTTP/1.1 200");
        }
    }
}
