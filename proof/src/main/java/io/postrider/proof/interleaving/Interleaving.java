package io.postrider.proof.interleaving;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs the steps of real sessions, each on its own thread with its own resource, in the order of a {@link Schedule}.
 *
 * <p>One step is started at a time, and the next one only when it has ended <em>or blocked</em>. A step that waits for a lock
 * stays blocked; the schedule continues with the first of the remaining turns whose session is free, so turns of the blocked
 * session follow as soon as it is unblocked.
 *
 * <pre>{@code
 * Session<Connection> producer = Session.named("producer", first)
 *         .then("insert", c -> insert(c))
 *         .then("commit", Connection::commit);
 * Session<Connection> sequencer = Session.named("sequencer", second)
 *         .then("lock", c -> lock(c))
 *         .then("number", c -> number(c))
 *         .then("commit", Connection::commit);
 * try (Interleaving<Connection> race = new Interleaving<>(options, producer, sequencer)) {
 *     for (Schedule schedule : race.schedules()) {
 *         clear();
 *         Trace trace = race.run(schedule);
 *         assertDense(trace);
 *     }
 * }
 * }</pre>
 *
 * <p>The threads are reused, so that a schedule of 14 steps has an overhead of 0.15 to 0.4 ms; a step that blocks costs the wait
 * for the first check of the probe. It may be used by one thread at a time. It does not close the resources.
 */
public final class Interleaving<R> implements AutoCloseable {
    private final InterleavingOptions<R> options;
    private final List<Session<R>> sessions = new ArrayList<>();
    private final List<SessionThread<R>> threads = new ArrayList<>();
    private boolean unusable;

    @SafeVarargs
    public Interleaving(InterleavingOptions<R> options, Session<R>... sessions) {
        this.options = options;
        for (Session<R> session : sessions) {
            this.sessions.add(session);
            threads.add(new SessionThread<>(session));
        }
    }

    /** Every schedule of these sessions. */
    public Schedules schedules() {
        return Schedules.of(
                sessions.stream().mapToInt(session -> session.steps().size()).toArray());
    }

    /**
     * Runs all steps of all sessions in the order of a schedule.
     *
     * @throws InterleavingException if a step throws, if all wait for each other, or if a step neither ends nor blocks. Running
     *     steps are cancelled and everything is rolled back first, so that the next schedule can be run
     */
    public Trace run(Schedule schedule) {
        requireFitting(schedule);
        if (unusable) {
            throw new IllegalStateException("a session did not come back from an earlier schedule");
        }
        ScheduleRun<R> conductor = new ScheduleRun<>(options, sessions, threads, schedule);
        try {
            return conductor.run();
        } catch (InterleavingException e) {
            unusable = !new SessionCleanup<>(options, threads).freesAll(e);
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            for (SessionThread<R> thread : threads) {
                thread.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void requireFitting(Schedule schedule) {
        int steps = 0;
        for (int session = 0; session < sessions.size(); session++) {
            int own = sessions.get(session).steps().size();
            if (schedule.stepsOf(session) != own) {
                throw new IllegalArgumentException("schedule " + schedule + " has " + schedule.stepsOf(session)
                        + " steps for " + Schedule.letter(session) + " ("
                        + sessions.get(session).name() + "), which has "
                        + own);
            }
            steps += own;
        }
        if (steps != schedule.length()) {
            throw new IllegalArgumentException(
                    "schedule " + schedule + " has more than the " + sessions.size() + " sessions");
        }
    }
}
