package io.postrider.bench.realtime;

import io.postrider.bench.Child;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Many clients in a process of their own, see {@link CrowdMain}; from here they are told which turn it is, and asked. */
final class Crowd implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Child child;
    private final int size;

    private Crowd(Child child, int size) {
        this.child = child;
        this.size = size;
    }

    /** @param size clients of each way */
    static Crowd open(int size) throws IOException {
        return new Crowd(Child.start(CrowdMain.class, "1g", List.of(), List.of()), size);
    }

    /** Returns when all of them have had their first frame. */
    void join(String name, Way way) throws InterruptedException {
        child.ask("join " + name + " " + size + " " + way.port() + " "
                + way.request().replace("\r\n", "\t"));
        long began = System.nanoTime();
        while (state(name).settled() < size) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IllegalStateException("not all clients of " + name + " got in: " + state(name));
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** From now on messages of this turn count, so many for each client. */
    void begin(String name, long turn, int messages) {
        child.ask("begin " + name + " " + turn + " " + messages);
    }

    /**
     * How far the clients of a way are in this turn.
     *
     * @param least messages that the slowest has
     * @param delivered messages that all of them have, together
     * @param wrong messages that came twice or not in order
     * @param closed clients whose stream has ended
     */
    record State(int settled, int least, long delivered, long wrong, long closed) {}

    State state(String name) {
        String[] answer = child.ask("state " + name).split(" ", -1);
        State state = new State(
                Integer.parseInt(answer[0]),
                Integer.parseInt(answer[1]),
                Long.parseLong(answer[2]),
                Long.parseLong(answer[3]),
                Long.parseLong(answer[4]));
        if (state.wrong() > 0 || state.closed() > 0) {
            throw new IllegalStateException("clients of " + name + " lost something: " + state);
        }
        return state;
    }

    /** Returns when the slowest client has so many messages of this turn. */
    void awaitLeast(String name, int messages) throws InterruptedException {
        long began = System.nanoTime();
        while (state(name).least() < messages) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IllegalStateException(
                        "not every client of " + name + " got " + messages + ": " + state(name));
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    /** When the last client had the last message of this turn. */
    long lastAt(String name) {
        return Long.parseLong(child.ask("last " + name));
    }

    /** How long the messages of this turn took, from these moments on. */
    Arrival arrival(String name, long[] sent) {
        StringBuilder command = new StringBuilder("arrival ").append(name);
        for (long moment : sent) {
            command.append(' ').append(moment);
        }
        return Arrival.parse(child.ask(command.toString()));
    }

    int size() {
        return size;
    }

    Child child() {
        return child;
    }

    @Override
    public void close() {
        child.close();
    }
}
