package io.postrider.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The number of connections fits into the heap. */
@Tag("security")
class ConnectionLimitTest {
    private static final long MB = 1 << 20;

    @Test
    void half_of_the_heap_is_for_connections_unless_fewer_are_needed() {
        assertThat(ConnectionLimit.of(10_000, 512 * MB)).isEqualTo(3_276);
        assertThat(ConnectionLimit.of(10_000, 4_096 * MB)).isEqualTo(14_500);
        assertThat(ConnectionLimit.of(10, 512 * MB)).isEqualTo(2_010);
        assertThat(ConnectionLimit.of(10_000, MB)).isEqualTo(100);
    }

    @Test
    void more_than_there_is_room_for_is_reported_with_what_to_do() {
        assertThat(ConnectionLimit.risk(3_276, 512 * MB)).isNull();
        for (int most : new int[] {3_277, -1}) { // -1: no limit
            assertThat(ConnectionLimit.risk(most, 512 * MB))
                    .contains("key=server.tomcat.max-connections", "3276", "512 MB", "-Xmx");
        }
    }
}
