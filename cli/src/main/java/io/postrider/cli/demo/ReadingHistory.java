package io.postrider.cli.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.ToLongFunction;

/** The readings of the last minute, from which rates and curves are computed. */
final class ReadingHistory {
    private static final Duration KEPT = Duration.ofSeconds(60);
    private static final Duration WINDOW = Duration.ofSeconds(3);
    private static final String BARS = "▁▂▃▄▅▆▇█";

    private final Deque<Reading> readings = new ArrayDeque<>();

    void add(Reading reading) {
        readings.addLast(reading);
        while (readings.getFirst().elapsed().compareTo(reading.elapsed().minus(KEPT)) < 0) {
            readings.removeFirst();
        }
    }

    Reading last() {
        return readings.getLast();
    }

    /** The growth of a number per second, over the last three seconds. */
    long rate(ToLongFunction<Reading> number) {
        Reading last = last();
        Reading first = at(last.elapsed().minus(WINDOW));
        double seconds = last.elapsed().minus(first.elapsed()).toMillis() / 1_000.0;
        return seconds <= 0 ? 0 : Math.round((number.applyAsLong(last) - number.applyAsLong(first)) / seconds);
    }

    /**
     * A curve of this width with one character per second; flat at the bottom means 0.
     *
     * @param least minimum value of the full height: otherwise a lag of 2 would fill it
     */
    String curve(int width, long least, ToLongFunction<Reading> number) {
        List<Long> values = new ArrayList<>();
        for (int i = width - 1; i >= 0; i--) {
            Duration then = last().elapsed().minusSeconds(i);
            if (!then.isNegative()) {
                values.add(number.applyAsLong(at(then)));
            }
        }
        return draw(width, least, values);
    }

    /** Like {@link #curve}, but of the growth of the number in each second. */
    String curveOfGrowth(int width, ToLongFunction<Reading> number) {
        List<Long> values = new ArrayList<>();
        for (int i = width - 1; i >= 0; i--) {
            Duration then = last().elapsed().minusSeconds(i);
            if (then.compareTo(Duration.ofSeconds(1)) >= 0) {
                values.add(number.applyAsLong(at(then)) - number.applyAsLong(at(then.minusSeconds(1))));
            }
        }
        return draw(width, 1, values);
    }

    private static String draw(int width, long least, List<Long> values) {
        long most =
                Math.max(least, values.stream().mapToLong(Long::longValue).max().orElse(0));
        StringBuilder curve = new StringBuilder(" ".repeat(width - values.size()));
        for (long value : values) {
            long step = Math.round((double) Math.max(0, value) * (BARS.length() - 1) / most);
            curve.append(BARS.charAt((int) step));
        }
        return curve.toString();
    }

    /** The last reading up to a time; the first reading if none is that old. */
    private Reading at(Duration time) {
        Reading found = readings.getFirst();
        for (Reading reading : readings) {
            if (reading.elapsed().compareTo(time) > 0) {
                break;
            }
            found = reading;
        }
        return found;
    }
}
