package io.postrider.cli.demo;

import io.postrider.PostriderException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a demo run.
 *
 * @param rate events per second of all producers together
 * @param length null: until it is stopped
 * @param data the directory of the database; null: temporary, deleted with the demo
 * @param port the port of the live chat; 0: any free one
 * @param live whether to draw a screen; otherwise prints one line per second
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
