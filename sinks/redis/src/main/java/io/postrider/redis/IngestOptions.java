package io.postrider.redis;

import java.time.Duration;

/** How entries are taken from a stream. Immutable: each {@code with…} gives a changed copy, and refuses bad values by name. */
public final class IngestOptions {
    private final String stream;
    private final String group;
    private final int workers;
    private final int batch;
    private final Duration claimAfter;
    private final Duration remembered;

    private IngestOptions(
            String stream, String group, int workers, int batch, Duration claimAfter, Duration remembered) {
        this.stream = Checks.unlessName("redis stream", stream);
        this.group = Checks.unlessName("redis group", group);
        this.workers = Checks.outside("ingest workers", workers, 1, 64);
        this.batch = Checks.outside("ingest batch", batch, 1, 1_000);
        this.claimAfter = Checks.outside("ingest claim after", claimAfter, Duration.ofMillis(500), Duration.ofHours(1));
        this.remembered =
                Checks.outside("ingest remembered", remembered, Duration.ofMinutes(10), Duration.ofDays(3_650));
    }

    /** Group {@code postrider}, 2 workers, 100 entries at once, taken over after 30 s, remembered for a day. */
    public static IngestOptions of(String stream) {
        return new IngestOptions(stream, "postrider", 2, 100, Duration.ofSeconds(30), Duration.ofDays(1));
    }

    /** The consumer group; all processes of one application use the same. The stream belongs to it. Default {@code postrider}. */
    public IngestOptions withGroup(String name) {
        return new IngestOptions(stream, name, workers, batch, claimAfter, remembered);
    }

    /** How many entries are moved side by side in this process; with 1, in one process, jobs keep the order of the stream. 1..64, default 2. */
    public IngestOptions withWorkers(int count) {
        return new IngestOptions(stream, group, count, batch, claimAfter, remembered);
    }

    /** How many entries are enqueued in one transaction, at most. 1..1000, default 100. */
    public IngestOptions withBatch(int most) {
        return new IngestOptions(stream, group, workers, most, claimAfter, remembered);
    }

    /** How long an entry may be with a worker before another one takes it over. 500 ms..1 h, default 30 s. */
    public IngestOptions withClaimAfter(Duration idle) {
        return new IngestOptions(stream, group, workers, batch, Checks.missing("ingest claim after", idle), remembered);
    }

    /** For how long a second entry with the same id is known as such; costs a row in the database for so long. 10 min..10 years, default 1 day. */
    public IngestOptions withRemembered(Duration period) {
        return new IngestOptions(
                stream, group, workers, batch, claimAfter, Checks.missing("ingest remembered", period));
    }

    public String stream() {
        return stream;
    }

    public String group() {
        return group;
    }

    public int workers() {
        return workers;
    }

    public int batch() {
        return batch;
    }

    public Duration claimAfter() {
        return claimAfter;
    }

    public Duration remembered() {
        return remembered;
    }

    /** Where entries are kept that cannot become a job. */
    public String refused() {
        return stream + ":refused";
    }

    @Override
    public String toString() {
        return "stream=" + stream + " group=" + group + " workers=" + workers + " batch=" + batch + " claim_after="
                + claimAfter + " remembered=" + remembered;
    }
}
