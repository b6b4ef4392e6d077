package io.postrider.cli;

import java.util.List;

/** What came of a command: its exit code and all it wrote. */
record Ran(int code, String out, String err) {
    List<String> lines() {
        return out.lines().toList();
    }

    /** The one line of data. */
    String line() {
        if (lines().size() != 1) {
            throw new AssertionError("expected one line, got: " + this);
        }
        return lines().get(0);
    }

    /** The one line that says what is wrong, without what follows it. */
    String complaint() {
        return err.lines()
                .filter(line -> line.startsWith("postrider: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no complaint in: " + this));
    }
}
