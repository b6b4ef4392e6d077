package io.postrider.proof.interleaving;

import java.util.ArrayList;
import java.util.List;

/**
 * One party of an interleaving: a name, its own resource, and its steps in order. Immutable; the steps run on a separate thread,
 * one at a time.
 */
public final class Session<R> {
    private final String name;
    private final R resource;
    private final List<NamedStep<R>> steps;

    private Session(String name, R resource, List<NamedStep<R>> steps) {
        this.name = name;
        this.resource = resource;
        this.steps = steps;
    }

    /** A session without steps so far. */
    public static <R> Session<R> named(String name, R resource) {
        return new Session<>(name, resource, List.of());
    }

    /** This session with one more step. */
    public Session<R> then(String what, Step<R> step) {
        List<NamedStep<R>> more = new ArrayList<>(steps);
        more.add(new NamedStep<>(what, step));
        return new Session<>(name, resource, List.copyOf(more));
    }

    public String name() {
        return name;
    }

    public R resource() {
        return resource;
    }

    List<NamedStep<R>> steps() {
        return steps;
    }

    record NamedStep<R>(String what, Step<R> step) {}
}
