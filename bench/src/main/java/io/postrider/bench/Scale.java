package io.postrider.bench;

import java.time.Duration;

/**
 * The sizes of a run. The durations of one round are for one variant; a round of a scenario includes each variant once.
 *
 * @param clients concurrent producers
 * @param producing duration of closed-loop producing in one round
 * @param burst one burst after the sequencer has gone to sleep; a round has {@code bursts} of them
 * @param latency duration of the 50 events/s in one round
 * @param hold how long the other session's transaction has been open, under load, when measuring begins
 * @param holdRate events/s while it is held
 * @param backlog events to drain
 * @param retainedFew, retainedMany the two sizes between which cost must be flat
 * @param looks timed passes and reads of each kind in one round
 * @param counted events or jobs of a counting run, which is not timed
 * @param jobs sizes for the job scenarios
 * @param realtime sizes for the scenarios with browsers and brokers
 */
public record Scale(
        String name,
        int rounds,
        int clients,
        Duration producing,
        Duration burst,
        int bursts,
        Duration latency,
        Duration hold,
        int holdRate,
        int backlog,
        int retainedFew,
        int retainedMany,
        int looks,
        int counted,
        Jobs jobs,
        Realtime realtime) {

    public static final int EVENTS_PER_SECOND = 50;

    /**
     * @param pile jobs in the backlog
     * @param rate jobs/s that are enqueued under steady load
     * @param steady duration of the steady load in one round
     * @param scheduled jobs that are scheduled for later while claims are timed
     * @param done jobs that are done and retained while claims are timed
     */
    public record Jobs(int pile, int rate, Duration steady, int scheduled, int done) {}

    /**
     * @param clients in one room, while messages are timed
     * @param rate messages/s that are timed
     * @param timed duration of the timed messages in one round
     * @param warming warm-up messages per variant: until about 10,000 have passed, the tail latency shows the JIT compiler
     * @param crowd clients in one room while messages are fanned out as fast as possible
     * @param messages the number that each client of the crowd receives in one round
     * @param relayed events that a relay sends in one round
     */
    public record Realtime(int clients, int rate, Duration timed, int warming, int crowd, int messages, int relayed) {}

    /** The full run, whose results can be quoted. */
    public static Scale full() {
        return new Scale(
                "full",
                5,
                32,
                Duration.ofSeconds(4),
                Duration.ofMillis(500),
                4,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                1_000,
                1_000_000,
                100_000,
                10_000_000,
                100,
                20_000,
                new Jobs(200_000, 2_000, Duration.ofSeconds(12), 100_000, 5_000_000),
                new Realtime(100, 100, Duration.ofSeconds(15), 15_000, 1_000, 1_000, 200_000));
    }

    /** A run of less than one minute: enough to detect serious problems, not to quote. */
    public static Scale brief() {
        return new Scale(
                "short",
                5,
                32,
                Duration.ofMillis(250),
                Duration.ofMillis(150),
                1,
                Duration.ofMillis(400),
                Duration.ofMillis(100),
                500,
                20_000,
                20_000,
                200_000,
                15,
                200,
                new Jobs(10_000, 500, Duration.ofMillis(600), 2_000, 20_000),
                new Realtime(100, 100, Duration.ofSeconds(1), 0, 1_000, 64, 20_000));
    }

    /** With these sizes for the scenarios with browsers and brokers. */
    public Scale withRealtime(Realtime much) {
        return new Scale(
                name,
                rounds,
                clients,
                producing,
                burst,
                bursts,
                latency,
                hold,
                holdRate,
                backlog,
                retainedFew,
                retainedMany,
                looks,
                counted,
                jobs,
                much);
    }

    public Scale withRounds(int count) {
        return new Scale(
                name,
                count,
                clients,
                producing,
                burst,
                bursts,
                latency,
                hold,
                holdRate,
                backlog,
                retainedFew,
                retainedMany,
                looks,
                counted,
                jobs,
                realtime);
    }

    public boolean isShort() {
        return !name.equals("full");
    }
}
