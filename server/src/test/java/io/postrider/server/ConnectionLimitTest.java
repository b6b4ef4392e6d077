package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.server.ConnectionLimit.Heads;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;

/** The number of connections fits into the heap. */
@Tag("security")
class ConnectionLimitTest {
    private static final long MB = 1 << 20;

    private static Heads heads(String request, String response) {
        return new Heads(DataSize.parse(request), DataSize.parse(response));
    }

    @Test
    void half_of_the_heap_is_for_connections_unless_fewer_are_needed() {
        assertThat(ConnectionLimit.of(10_000, 512 * MB, Heads.DEFAULT)).isEqualTo(3_276);
        assertThat(ConnectionLimit.of(10_000, 4_096 * MB, Heads.DEFAULT)).isEqualTo(14_500);
        assertThat(ConnectionLimit.of(10, 512 * MB, Heads.DEFAULT)).isEqualTo(2_010);
        assertThat(ConnectionLimit.of(10_000, MB, Heads.DEFAULT)).isEqualTo(100);
    }

    @Test
    void larger_heads_leave_room_for_fewer_connections() {
        for (String size : List.of("64KB", "1MB", "16MB")) {
            for (Heads heads : List.of(heads(size, "8KB"), heads("16KB", size))) {
                int most = ConnectionLimit.of(10_000, 512 * MB, heads);
                assertThat(most * DataSize.parse(size).toBytes())
                        .as(heads.toString())
                        .isLessThan(256 * MB);
                assertThat(most).isPositive();
            }
        }
        assertThat(ConnectionLimit.of(10_000, MB, heads("1GB", "8KB"))).isEqualTo(1);
    }

    @Test
    void more_than_there_is_room_for_is_reported_with_what_to_do() {
        assertThat(ConnectionLimit.risks(3_276, 512 * MB, Heads.DEFAULT)).isEmpty();
        for (int most : new int[] {3_277, -1}) { // -1: no limit
            assertThat(ConnectionLimit.risks(most, 512 * MB, Heads.DEFAULT))
                    .singleElement()
                    .asString()
                    .contains("key=server.tomcat.max-connections", "3276", "512 MB", "-Xmx");
        }
    }

    @Test
    void larger_heads_are_reported_with_what_they_cost() {
        assertThat(ConnectionLimit.risks(121, 512 * MB, heads("1MB", "8KB")))
                .singleElement()
                .asString()
                .contains("key=server.max-http-request-header-size", "2096 KB", "125 connections", "remove");
        assertThat(ConnectionLimit.risks(100, 512 * MB, heads("16KB", "1MB")))
                .singleElement()
                .asString()
                .contains("key=server.tomcat.max-http-response-header-size");
        assertThat(ConnectionLimit.risks(3_000, 512 * MB, heads("1MB", "8KB"))).hasSize(2);
    }

    @Test
    void the_sizes_in_effect_are_those_of_the_environment() {
        assertThat(Heads.of(environment("SERVER_MAX_HTTP_REQUEST_HEADER_SIZE", "1MB")))
                .isEqualTo(heads("1MB", "8KB"));
        assertThat(Heads.of(environment("SERVER_TOMCAT_MAX_HTTP_RESPONSE_HEADER_SIZE", "1MB")))
                .isEqualTo(heads("16KB", "1MB"));
        assertThat(Heads.of(environment("SERVER_MAX_HTTP_REQUEST_HEADER_SIZE", "1KB")))
                .as("less than the default saves little")
                .isEqualTo(Heads.DEFAULT);
    }

    private static StandardEnvironment environment(String name, String value) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, value)));
        return environment;
    }
}
