package io.postrider.bench;

import java.time.Duration;

/**
 * How much of everything. The times of one round are for one variant; a round of a scenario has one of each variant.
 *
 * @param clients producers at once
 * @param producing closed-loop producing, one round
 * @param burst one burst out of the sequencer's sleep; a round has {@code bursts} of them
 * @param latency the 50 events/s of one round
 * @param hold how long the foreign transaction has been open, under load, when measuring begins
 * @param holdRate events/s while it is held
 * @param backlog events to drain
 * @param retainedFew, retainedMany the two sizes between which cost must be flat
 * @param looks timed passes and reads of each kind in one round
 * @param counted events or jobs of a counting run, which is not timed
 * @param jobs how much of everything that only jobs have
 * @param realtime how much of everything on the way to the screen and to brokers
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

    static final int EVENTS_PER_SECOND = 50;

    /**
     * @param pile jobs to burn down
     * @param rate jobs/s that are enqueued while the work is steady
     * @param steady how long, one round
     * @param scheduled jobs that wait for their time while claims are timed
     * @param done jobs that are done and retained while claims are timed
     */
    record Jobs(int pile, int rate, Duration steady, int scheduled, int done) {}

    /**
     * @param clients in one room, while messages are timed
     * @param rate messages/s that are timed
     * @param timed how long, one round
     * @param warming messages of each way before that: until some 10,000 have gone through it, a way's tail is its compiler
     * @param crowd clients in one room, while messages are fanned out as fast as it goes
     * @param messages that each of the crowd gets in one round
     * @param relayed events that a relay sends in one round
     */
    public record Realtime(int clients, int rate, Duration timed, int warming, int crowd, int messages, int relayed) {}

    /** What is quoted. */
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

    /** The whole within a minute: fit to see that nothing is badly wrong, not to quote. */
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

    /** With so much of what only the way to the screen and to brokers has. */
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

    boolean isShort() {
        return !name.equals("full");
    }
}
