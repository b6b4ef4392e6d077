package io.postrider.cli.demo;

import io.postrider.PostriderException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the demo runs.
 *
 * @param rate events a second, all producers together
 * @param length null: until it is stopped
 * @param data where the database is kept; null: it goes with the demo
 * @param port where the live chat is served; 0: anywhere
 * @param live whether to draw a screen; else a line a second
 */
public record DemoOptions(
        int rate, @Nullable Duration length, @Nullable Path data, int port, boolean live) {
    public DemoOptions {
        if (port < 0 || port > 65_535) {
            throw PostriderException.refused("--port must be 0..65535, was " + port);
        }
        if (rate < 1 || rate > 5_000) {
            throw PostriderException.refused("--rate must be 1..5000 events a second, was " + rate);
        }
        if (length != null && (length.isNegative() || length.isZero() || length.compareTo(Duration.ofDays(7)) > 0)) {
            throw PostriderException.refused("--seconds must be 1..604800, was " + length.toSeconds());
        }
    }
}
