package io.postrider.proof;

import java.util.Optional;

/**
 * G7 and G8: a listener handles each position in order, at least once, and sees there the event that the log has
 * there; a transactional listener's effects happen exactly once.
 */
final class ListenerRule {
    private final EventTable events;
    private final Findings findings;

    ListenerRule(EventTable events, Findings findings) {
        this.events = events;
        this.findings = findings;
    }

    void check(Listening listening, OrderedLog log) {
        Optional<Readings> effects = listening.effects();
        Readings handled = listening.handled();
        // Who keeps effects may leave out the calls of the handler: a killed process takes its notes with it.
        if (effects.isEmpty() || handled.size() > 0) {
            passage(listening, log, false).follow(handled);
        }
        effects.ifPresent(passage(listening, log, true)::follow);
    }

    private Passage passage(Listening listening, OrderedLog log, boolean exactlyOnce) {
        return new Passage(new Sighting(events, findings, log), listening, exactlyOnce);
    }
}
