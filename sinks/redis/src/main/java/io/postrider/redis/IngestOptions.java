package io.postrider.redis;

import java.time.Duration;

/**
 * Options for moving entries from a stream. Immutable: each {@code with…} returns a changed copy. An invalid value is refused, and
 * the error names the option.
 */
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

    /** Group {@code postrider}, 2 workers, batches of 100 entries, claimed after 30 s, ids remembered for a day. */
    public static IngestOptions of(String stream) {
        return new IngestOptions(stream, "postrider", 2, 100, Duration.ofSeconds(30), Duration.ofDays(1));
    }

    /** The consumer group, which all processes of one application share. It owns the stream. Default {@code postrider}. */
    public IngestOptions withGroup(String name) {
        return new IngestOptions(stream, name, workers, batch, claimAfter, remembered);
    }

    /**
     * How many workers move entries in this process; with 1, in one process, jobs keep the order of the stream. 1..64, default 2.
     */
    public IngestOptions withWorkers(int count) {
        return new IngestOptions(stream, group, count, batch, claimAfter, remembered);
    }

    /** The maximum number of entries per transaction. 1..1000, default 100. */
    public IngestOptions withBatch(int most) {
        return new IngestOptions(stream, group, workers, most, claimAfter, remembered);
    }

    /** How long a worker may hold an entry before another one claims it. 500 ms..1 h, default 30 s. */
    public IngestOptions withClaimAfter(Duration idle) {
        return new IngestOptions(stream, group, workers, batch, Checks.missing("ingest claim after", idle), remembered);
    }

    /**
     * How long a second entry with the same id is detected; the database keeps one row per entry for that time. 10 min..10 years,
     * default 1 day.
     */
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

    /** The stream of entries that cannot become a job. */
    public String refused() {
        return stream + ":refused";
    }

    @Override
    public String toString() {
        return "stream=" + stream + " group=" + group + " workers=" + workers + " batch=" + batch + " claim_after="
                + claimAfter + " remembered=" + remembered;
    }
}
