package io.postrider.bench.realtime;

import io.postrider.bench.process.ChildProcess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Many clients in a separate process, see {@link CrowdMain}; this class sends them the current turn and queries them. */
final class Crowd implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final ChildProcess child;
    private final int size;

    private Crowd(ChildProcess child, int size) {
        this.child = child;
        this.size = size;
    }

    /** @param size the number of clients per variant */
    static Crowd open(int size) throws IOException {
        return new Crowd(ChildProcess.start(CrowdMain.class, "1g", List.of(), List.of()), size);
    }

    /** Returns when all of them have received their first frame. */
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

    /** From now on messages of this turn count, with this many expected per client. */
    void begin(String name, long turn, int messages) {
        child.ask("begin " + name + " " + turn + " " + messages);
    }

    /**
     * The progress of a variant's clients in this turn.
     *
     * @param least the number of messages that the slowest client has received
     * @param delivered the total number of messages that all clients have received
     * @param wrong messages that were duplicates or out of order
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

    /** Returns when the slowest client has this many messages of this turn. */
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

    /** When the last client received the last message of this turn. */
    long lastAt(String name) {
        return Long.parseLong(child.ask("last " + name));
    }

    /** The latency of the messages of this turn, from these start times. */
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

    ChildProcess child() {
        return child;
    }

    @Override
    public void close() {
        child.close();
    }
}
