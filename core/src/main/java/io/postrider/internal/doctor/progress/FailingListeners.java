package io.postrider.internal.doctor.progress;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** Listeners that make no progress. */
public final class FailingListeners implements Check {
    private static final Sql LISTENERS = Sql.file("doctor/listeners");

    private record Trouble(String name, String trouble, long lag, int attempts, long deadLetters, String error) {
        Finding finding() {
            return switch (trouble) {
                case "detached" ->
                    Finding.fail(
                            name + " is detached: retention deleted events it had not handled",
                            "reset it, or create it again under a new name");
                case "paused" -> Finding.warn(name + " is paused, " + lag + " behind", "postrider resume " + name);
                case "unowned" ->
                    Finding.warn("no node runs " + name + ", " + lag + " behind", "start the application that has it");
                case "retrying" ->
                    Finding.warn(
                            name + " is at attempt " + attempts + ": " + shortened(error),
                            "it is retried automatically");
                default ->
                    Finding.warn(
                            name + " has " + deadLetters + " dead letters",
                            "postrider dead-letters list --listener " + name);
            };
        }

        private static String shortened(String text) {
            return text.length() <= 160 ? text : text.substring(0, 159) + "…";
        }
    }

    @Override
    public String name() {
        return "listeners";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        List<Finding> findings = examination
                .query(
                        LISTENERS,
                        Bind::nothing,
                        row -> new Trouble(
                                row.text("name"),
                                row.text("trouble"),
                                row.int8("lag"),
                                row.int4("attempts"),
                                row.int8("dead_letters"),
                                row.text("last_error")))
                .stream()
                .map(Trouble::finding)
                .toList();
        return findings.isEmpty() ? List.of(Finding.ok("all listeners run without failures")) : findings;
    }
}
