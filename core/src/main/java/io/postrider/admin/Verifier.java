package io.postrider.admin;

import java.util.List;
import java.util.function.Consumer;

/** Checks that no event is lost, duplicated or out of order. It only reads the database, in one snapshot. Thread-safe. */
public interface Verifier {
    /**
     * Checks every guarantee. Reads the whole log, segment by segment, on the server.
     *
     * @param progress receives the name of each part before it is checked
     */
    List<VerifyResult> verify(Consumer<String> progress);
}
