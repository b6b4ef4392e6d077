package io.postrider.sinks.suite;

import java.time.Duration;

/** The suite on a sink that does one thing wrong. Run by {@link SinkSuiteTest} only: its name does not end as those of tests do. */
final class Flawed extends SinkSuite {
    static Shelf.Flaw flaw = Shelf.Flaw.NONE;

    @Override
    protected Place place() {
        return new Shelf(flaw);
    }

    @Override
    protected Duration most() {
        return Duration.ofSeconds(2);
    }
}
