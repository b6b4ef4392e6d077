package io.postrider.proof.check;

import io.postrider.proof.history.ListenerHistory;
import io.postrider.proof.history.Readings;
import java.util.Optional;

/**
 * G7 and G8: a listener handles each position in order, at least once, and sees the event that the log has there; the effects of
 * a transactional listener happen exactly once.
 */
final class ListenerRule {
    private final EventTable events;
    private final Findings findings;

    ListenerRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
    }

    void check(ListenerHistory listening, OrderedLog log) {
        Optional<Readings> effects = listening.effects();
        Readings handled = listening.handled();
        // With effects, handler calls may be missing: a killed process loses its records.
        if (effects.isEmpty() || handled.size() > 0) {
            passage(listening, log, false).follow(handled);
        }
        effects.ifPresent(passage(listening, log, true)::follow);
    }

    private ListenerProgress passage(ListenerHistory listening, OrderedLog log, boolean exactlyOnce) {
        return new ListenerProgress(new DeliveryRule(events, findings, log), listening, exactlyOnce);
    }
}
