package io.postrider.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.postrider.Course;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.PostriderException;
import io.postrider.Receipt;
import io.postrider.Sink;
import io.postrider.redis.RedisLink.Replies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends each event to a Redis stream: the attributes of its {@link Envelope} as fields, {@code data} for the payload, and
 * {@code course} (relay and number of the course) by which the sink finds its own entries again.
 *
 * <p>Up to {@value #AT_ONCE} events go in one transaction ({@code MULTI … EXEC}), so they are all there or none is: a plain
 * pipeline in which one append fails for want of memory and the next succeeds would leave the stream out of order. When the
 * connection breaks before the reply, the end is unknown; the relay asks {@link #holds} and sends what is missing.
 *
 * <p>An event is never refused. To Redis it is a handful of texts; whatever error it answers with is about the server (out of
 * memory, read-only, loading, no permission) or about the key (it holds something other than a stream), and would meet every event
 * alike. To make dead letters of a topic because a key is misnamed would be the worse mistake, so the sink is unavailable until
 * somebody mends it; the error stands with the relay. Safe to share.
 */
public final class RedisStreamSink implements Sink {
    private static final Logger log = LoggerFactory.getLogger(RedisStreamSink.class);

    /** Events in one transaction: some 3 ms in which the server does nothing else. */
    static final int AT_ONCE = 500;

    /** Entries read at once when looking back, and how many pages at most: a batch has at most 10,000 events. */
    private static final int PAGE = 500;

    private static final int PAGES = 40;
    private static final int FEWEST = 10_000;

    private final RedisOptions options;
    private final String stream;
    private final long mostKept;
    private final RedisLink link;

    /** A stream that keeps everything. */
    public RedisStreamSink(RedisOptions options, String stream) {
        this(options, stream, Long.MAX_VALUE);
    }

    /**
     * A stream that keeps about so many of the last entries, whether somebody has read the others or not.
     *
     * @param mostKept at least 10,000, the largest batch of a relay: what is trimmed cannot be found again and would be sent twice
     */
    public RedisStreamSink(RedisOptions options, String stream, long mostKept) {
        this.options = Checks.missing("redis options", options);
        this.stream = Checks.unlessName("redis stream", stream);
        this.mostKept = mostKept;
        if (mostKept < FEWEST) {
            throw PostriderException.refused(
                    "most kept of stream " + stream + " must be at least " + FEWEST + ", was " + mostKept);
        }
        this.link = new RedisLink(options, "postrider-stream");
    }

    @Override
    public String describe() {
        return "redis stream " + stream + " at " + options.place();
    }

    // ── sending ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Receipt send(Course course, List<LogEvent> events) {
        for (int from = 0; from < events.size(); from += AT_ONCE) {
            List<LogEvent> slice = events.subList(from, Math.min(from + AT_ONCE, events.size()));
            Receipt receipt = append(course, slice, from);
            if (!receipt.isWhole()) {
                return receipt;
            }
        }
        return Receipt.whole();
    }

    private Receipt append(Course course, List<LogEvent> events, int before) {
        List<RedisFuture<String>> queued = new ArrayList<>(events.size());
        Replies<TransactionResult> replies = link.send(commands -> {
            commands.multi();
            events.forEach(event -> queued.add(add(commands, course, event)));
            return List.of(commands.exec());
        });
        if (replies.error() != null) {
            return Receipt.unavailable(before, replies.isRejected() ? why(queued, replies.error()) : replies.error());
        }
        int taken = 0;
        for (Object reply : replies.values().get(0)) {
            if (reply instanceof Throwable error) {
                return Receipt.unavailable(before + taken, error);
            }
            taken++;
        }
        return taken == events.size()
                ? Receipt.whole()
                : Receipt.unavailable(before + taken, new RedisException("redis has discarded the transaction"));
    }

    private RedisFuture<String> add(RedisAsyncCommands<String, String> commands, Course course, LogEvent event) {
        Map<String, String> fields = Envelope.attributes(event);
        fields.put("data", event.payload());
        fields.put("course", mark(course));
        return mostKept == Long.MAX_VALUE
                ? commands.xadd(stream, fields)
                : commands.xadd(stream, new XAddArgs().maxlen(mostKept).approximateTrimming(), fields);
    }

    /** A transaction is aborted with a word that says nothing; what it was aborted for was said when it was queued. */
    private static Throwable why(List<RedisFuture<String>> queued, Throwable aborted) {
        return queued.stream()
                .map(RedisFuture::getError)
                .filter(error -> error != null && !error.isEmpty())
                .findFirst()
                .<Throwable>map(RedisException::new)
                .orElse(aborted);
    }

    private static String mark(Course course) {
        return course.relay() + "/" + course.number();
    }

    // ── looking back ────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Looks back from the end of the stream until it has read a page with entries of this course and none of them after the
     * position. A whole page, because lanes and what is tried again put entries out of the order of their positions. At most
     * 20,000 entries: where others write to the same stream, what lies behind that many of theirs is not found.
     */
    @Override
    public Map<Long, UUID> holds(Course course, long after) {
        Map<Long, UUID> held = new HashMap<>();
        Range.Boundary<String> before = Range.Boundary.unbounded();
        for (int page = 0; page < PAGES; page++) {
            Range<String> range = Range.from(Range.Boundary.unbounded(), before);
            List<StreamMessage<String, String>> entries =
                    link.ask(commands -> commands.xrevrange(stream, range, Limit.from(PAGE)));
            boolean reached = collect(entries, course, after, held);
            if (reached || entries.size() < PAGE) {
                return held;
            }
            before = Range.Boundary.excluding(entries.get(entries.size() - 1).getId());
        }
        log.warn(
                "redis_stream_looked_back stream={} course={} entries={} found={} and did not come to its position {}",
                stream,
                mark(course),
                PAGES * PAGE,
                held.size(),
                after);
        return held;
    }

    private static boolean collect(
            List<StreamMessage<String, String>> entries, Course course, long after, Map<Long, UUID> held) {
        boolean older = false;
        boolean newer = false;
        for (StreamMessage<String, String> entry : entries) {
            Map<String, String> fields = entry.getBody();
            if (mark(course).equals(fields.get("course")) && course.topic().equals(fields.get("topic"))) {
                try {
                    long position = Long.parseLong(fields.getOrDefault("position", "0"));
                    UUID id = UUID.fromString(fields.getOrDefault("id", ""));
                    older |= position <= after;
                    newer |= position > after;
                    if (position > after) {
                        held.put(position, id);
                    }
                } catch (IllegalArgumentException e) {
                    // not one of ours: anybody may write to the stream, and must not stop us by it
                    log.debug("redis_stream_entry_ignored entry={}", entry.getId());
                }
            }
        }
        return older && !newer;
    }

    /** Queues an append in a transaction and discards it. */
    @Override
    public String test() {
        String type = link.ask(commands -> commands.type(stream));
        if (!type.equals("stream") && !type.equals("none")) {
            throw new RedisException("key " + stream + " at " + options.place() + " holds a " + type
                    + ", not a stream; name another key, or remove it");
        }
        Trial.run(link, commands -> commands.xadd(stream, Map.of("test", "test")));
        long length = link.ask(commands -> commands.xlen(stream));
        return describe() + " takes entries; it has " + length;
    }

    @Override
    public void close() {
        link.close();
    }
}
