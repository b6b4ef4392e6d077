package io.postrider.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.postrider.Event;
import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts work through a Redis stream: {@link #add} returns as soon as Redis has the entry, and {@link #start} moves entries into
 * a Postrider queue, where the guarantees of jobs begin.
 *
 * <p><b>Every entry becomes exactly one job.</b> A batch of entries is enqueued in one transaction and acknowledged and deleted
 * from the stream only after the commit. After a crash in between, or if a stalled worker wakes up after another one has claimed
 * its entries, the same entry is enqueued again. Two mechanisms detect such a duplicate:
 * <ul>
 *   <li>The job has a unique key derived from the stream and the entry's id, kept for the time in the options (one day). A
 *       database constraint enforces it, so it also holds for concurrent enqueues. If a producer sets the entry's {@code id}, it
 *       makes the producer's own retries idempotent as well.
 *   <li>The job's id is derived from the stream and the entry's number in it. If an entry was delivered before and is so old that
 *       its key may have expired, the worker searches the jobs for that id. So a duplicate is detected until retention deletes
 *       the job.
 * </ul>
 * A separate table would detect no more than these two, and would have to be cleaned up.
 *
 * <p><b>As durable as Redis.</b> {@link #add} returns when Redis has the entry in memory and, with {@code appendonly yes} and
 * {@code appendfsync always}, on disk. With {@code everysec}, a crash of the Redis process loses nothing, and a crash of its
 * machine loses the last one or two seconds of acknowledged entries. Without the append-only file, either crash loses everything
 * since the last snapshot. A failover loses what the replica lacked. If that is not acceptable, enqueue in the database directly.
 * The length of the stream is not limited, because trimming would lose acknowledged entries. A Redis that is full refuses new
 * entries, and then {@link #add} fails.
 *
 * <p>Safe to share.
 */
public final class RedisIngest implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RedisIngest.class);
    private static final int LONGEST_ID = 512;

    private final RedisOptions redis;
    private final IngestOptions options;
    private final RedisLink link;
    private final List<IngestRun> runs = new ArrayList<>();

    /**
     * An entry of the stream.
     *
     * @param number the entry's number in the stream, such as {@code 1700000000000-0}
     * @param id its identity: the field {@code id}, or its number if the field is missing
     * @param data the field {@code data}: JSON text
     * @param fields all fields
     */
    public record Entry(String number, String id, String data, Map<String, String> fields) {}

    public RedisIngest(RedisOptions redis, IngestOptions options) {
        this.redis = Checks.missing("redis options", redis);
        this.options = Checks.missing("ingest options", options);
        this.link = new RedisLink(redis, "postrider-ingest", options.stream());
    }

    // ── producer ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Adds an entry. Returns its number when Redis has it. */
    public String add(String data) {
        return add(null, data, Map.of());
    }

    /** Adds an entry with an id. If the outcome is unknown, add the same again: the two become one job. */
    public String add(String id, String data) {
        return add(Checks.missing("id", id), data, Map.of());
    }

    /** Adds an entry with an id and more fields, such as the project, for the function that creates the job. */
    public String add(@Nullable String id, String data, Map<String, String> more) {
        Map<String, String> fields = new LinkedHashMap<>(more);
        fields.put("data", refuseUnlessJson(data));
        if (id != null) {
            if (id.isEmpty() || id.length() > LONGEST_ID) {
                throw PostriderException.refused("id must have 1.." + LONGEST_ID + " characters");
            }
            fields.put("id", id);
        }
        try {
            return link.ask(commands -> commands.xadd(options.stream(), fields));
        } catch (RedisCommandExecutionException e) {
            throw new PostriderException(
                    Kind.FAILED,
                    "redis has not taken the entry for stream " + options.stream() + ": " + e.getMessage(),
                    e);
        } catch (RedisException e) {
            throw new PostriderException(
                    Kind.UNREACHABLE,
                    "whether redis has taken the entry for stream " + options.stream() + " is not known: "
                            + e.getMessage() + "; add it again with the same id",
                    e);
        }
    }

    /** Checks now, while the producer can still get an error. */
    private static String refuseUnlessJson(String data) {
        return Event.of("redis", "redis", Checks.missing("data", data)).payload();
    }

    // ── worker ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Moves entries into queues until it is closed, with the number of threads in the options.
     *
     * @param job creates a job from an entry: the queue, the type, the payload; its id and unique key are set afterwards. It must
     *     have no side effects, because it may be called again. An entry that cannot become a job is moved to the stream
     *     {@link IngestOptions#refused}
     */
    public synchronized RedisIngest start(Postrider postrider, DataSource dataSource, Function<Entry, Job> job) {
        if (!runs.isEmpty()) {
            throw new PostriderException(Kind.CONFLICT, "ingest of stream " + options.stream() + " is already started");
        }
        log.info("redis_ingest_started {} {}", options, redis);
        String process = UUID.randomUUID().toString();
        Mover mover = new Mover(postrider, dataSource, options, job);
        for (int i = 0; i < options.workers(); i++) {
            runs.add(new IngestRun(redis, options, process + "-" + i, mover));
        }
        runs.forEach(IngestRun::start);
        return this;
    }

    /** The number of entries that wait in the stream or are being moved. */
    public long waiting() {
        return link.ask(commands -> commands.xlen(options.stream()));
    }

    /** Finishes the batches in progress and stops. */
    @Override
    public synchronized void close() {
        runs.forEach(IngestRun::stop);
        runs.forEach(IngestRun::close);
        link.close();
    }
}
