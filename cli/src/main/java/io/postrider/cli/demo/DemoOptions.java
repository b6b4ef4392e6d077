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
 * @param live whether to draw a screen; else a line a second
 */
public record DemoOptions(
        int rate, @Nullable Duration length, @Nullable Path data, boolean live) {
    public DemoOptions {
        if (rate < 1 || rate > 5_000) {
            throw PostriderException.refused("--rate must be 1..5000 events a second, was " + rate);
        }
        if (length != null && (length.isNegative() || length.isZero() || length.compareTo(Duration.ofDays(7)) > 0)) {
            throw PostriderException.refused("--seconds must be 1..604800, was " + length.toSeconds());
        }
    }
}
