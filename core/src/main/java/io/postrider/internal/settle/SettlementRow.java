package io.postrider.internal.settle;

import io.postrider.JsonText;
import io.postrider.internal.claim.Claim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code settlement}: positions of one claim that have the same fate.
 *
 * @param n the number of the claim
 * @param positions an int8multirange
 * @param results a JSON object of results by position; null if there are none
 */
record SettlementRow(
        long n,
        String topic,
        SettlementFate fate,
        String positions,
        @Nullable String results) {

    /** The rows of these jobs, by claim and fate. Delayed jobs, which belong to no claim, have none. */
    static List<SettlementRow> of(List<EndedJob> jobs) {
        record Group(long n, String topic, SettlementFate fate) {}
        Map<Group, List<EndedJob>> groups = new TreeMap<>(
                Comparator.comparingLong(Group::n).thenComparing(Group::topic).thenComparing(Group::fate));
        for (EndedJob one : jobs) {
            Claim claim = one.heldJob().claim();
            if (claim != null) {
                Group group = new Group(claim.n(), one.heldJob().topic(), SettlementFate.of(one.outcome()));
                groups.computeIfAbsent(group, missing -> new ArrayList<>()).add(one);
            }
        }
        List<SettlementRow> rows = new ArrayList<>();
        groups.forEach((group, members) -> rows.add(new SettlementRow(
                group.n(),
                group.topic(),
                group.fate(),
                PositionRanges.text(EndedJob.positions(members)),
                results(members))));
        return rows;
    }

    /** What is kept of an outcome, as JSON: the result of a job that is done, the reason why one was cancelled. */
    static @Nullable String result(Outcome outcome) {
        if (outcome instanceof Outcome.Cancelled cancelled) {
            return JsonText.quoted(cancelled.reason());
        }
        return outcome instanceof Outcome.Done done ? done.result() : null;
    }

    private static @Nullable String results(List<EndedJob> jobs) {
        StringBuilder text = new StringBuilder();
        for (EndedJob one : jobs) {
            String result = result(one.outcome());
            if (result != null) {
                text.append(text.length() == 0 ? "{\"" : ",\"")
                        .append(one.position())
                        .append("\":")
                        .append(result);
            }
        }
        return text.length() == 0 ? null : text.append('}').toString();
    }
}
