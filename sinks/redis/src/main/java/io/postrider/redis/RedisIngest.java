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
 * Takes work in through a Redis stream: {@link #add} acknowledges as soon as Redis has the entry, and {@link #start} moves entries
 * into a queue of ours, where everything that jobs promise begins.
 *
 * <p><b>Every entry becomes exactly one job.</b> A batch of entries is enqueued in one transaction; only after its commit are they
 * acknowledged and deleted from the stream. A crash in between, or a worker that froze and wakes up after another one has taken over
 * its entries, leads to the same entry being enqueued again, so two things tell a repeat:
 * <ul>
 *   <li>The job has a unique key made of the stream and the entry's id, held for as long as the options say (a day). It is the
 *       database's own constraint, so it holds also between two who enqueue at the same time. It is also what makes a producer's own
 *       repeat harmless, if it gives the entry an {@code id}.
 *   <li>The job's id is made of the stream and the entry's number in it. An entry that was delivered before, and is so old that
 *       its key may be forgotten, is looked for among the jobs by that id: so a repeat is told until the log's retention takes the
 *       job.
 * </ul>
 * A table of its own would tell no more than these two, and would have to be kept short by somebody.
 *
 * <p><b>As durable as the Redis is.</b> {@link #add} returns when Redis has the entry in memory and, with
 * {@code appendonly yes} and {@code appendfsync always}, on its disk. With {@code everysec} a crash of the server loses up to a second
 * of what was acknowledged; without the append-only file, everything since the last snapshot; a failover, what the replica lacked. Who
 * cannot have that enqueues in the database at once. There is no limit on the stream's length: trimming it would lose what was
 * acknowledged. A Redis that is full refuses, and so does {@link #add}.
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
     * @param id what tells it from others: the field {@code id}, or its number if it has none
     * @param data the field {@code data}: JSON text
     * @param fields all fields
     */
    public record Entry(String number, String id, String data, Map<String, String> fields) {}

    public RedisIngest(RedisOptions redis, IngestOptions options) {
        this.redis = Checks.missing("redis options", redis);
        this.options = Checks.missing("ingest options", options);
        this.link = new RedisLink(redis, "postrider-ingest");
    }

    // ── the producer's side ─────────────────────────────────────────────────────────────────────────────────────────

    /** Adds an entry. Gives its number, when Redis has it. */
    public String add(String data) {
        return add(null, data, Map.of());
    }

    /** Adds an entry with an id: if whether it was added is not known, the same can be added again and is one job. */
    public String add(String id, String data) {
        return add(Checks.missing("id", id), data, Map.of());
    }

    /** Adds an entry with an id and more fields, such as the project, for who makes the job of it. */
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

    /** Now, while the producer can still be told. */
    private static String refuseUnlessJson(String data) {
        return Event.of("redis", "redis", Checks.missing("data", data)).payload();
    }

    // ── the worker's side ───────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Moves entries into queues until it is closed, by as many threads as the options say.
     *
     * @param job makes a job of an entry: the queue, the type, the payload; its id and unique key are set afterwards. It must
     *     do nothing else, for it may be called again. An entry of which no job can be made is put aside on the stream
     *     {@link IngestOptions#refused}
     */
    public synchronized RedisIngest start(Postrider postrider, DataSource dataSource, Function<Entry, Job> job) {
        if (!runs.isEmpty()) {
            throw new PostriderException(Kind.CONFLICT, "ingest of stream " + options.stream() + " is started already");
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

    /** How many entries wait in the stream or are being moved. */
    public long waiting() {
        return link.ask(commands -> commands.xlen(options.stream()));
    }

    /** Finishes the batches that are being moved, and ends. */
    @Override
    public synchronized void close() {
        runs.forEach(IngestRun::stop);
        runs.forEach(IngestRun::close);
        link.close();
    }
}
