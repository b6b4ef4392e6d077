package io.postrider.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.postrider.Envelope;
import io.postrider.LogEvent;
import io.postrider.MessageFormat;
import io.postrider.PostriderException;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import io.postrider.redis.RedisLink.Replies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends each event to a Redis stream: the attributes of its {@link Envelope} as fields, {@code data} for the payload, and
 * {@code course} (relay and epoch number), by which the sink finds its own entries again. In a payload format the fields are
 * {@code payload}, {@code event_id}, {@code event_type}, {@code topic}, {@code position} and {@code course}.
 *
 * <p>Up to {@value #AT_ONCE} events are sent in one transaction ({@code MULTI … EXEC}), so either all or none are appended. In a
 * plain pipeline, one append could fail because memory is short and the next succeed, which would leave the stream out of order.
 * When the connection breaks before the reply, the outcome is unknown; the relay calls {@link #holds} and sends what is missing.
 *
 * <p>An event is never refused. To Redis it is just a few strings; any error is about the server (out of memory, read-only,
 * loading, no permission) or about the key (it holds something other than a stream), and would affect every event alike. Turning
 * a topic into dead letters because of a misnamed key would be the worse mistake, so the sink is unavailable until the cause is
 * fixed; the relay shows the error. Safe to share.
 */
public final class RedisStreamSink implements Sink {
    private static final Logger log = LoggerFactory.getLogger(RedisStreamSink.class);

    /** Events per transaction: it blocks the server for about 3 ms. */
    static final int AT_ONCE = 500;

    /** Entries per page when reading back, and the maximum number of pages: a batch has at most 10,000 events. */
    private static final int PAGE = 500;

    private static final int PAGES = 40;
    private static final int FEWEST = 10_000;

    private final RedisOptions options;
    private final String stream;
    private final long mostKept;
    private final MessageFormat format;
    private final RedisLink link;

    /** A stream that keeps everything. */
    public RedisStreamSink(RedisOptions options, String stream) {
        this(options, stream, Long.MAX_VALUE);
    }

    /**
     * A stream that keeps about this many of the last entries, whether or not the others were read.
     *
     * @param mostKept at least 10,000, the largest batch of a relay: trimmed entries cannot be found again and would be sent
     *     twice
     */
    public RedisStreamSink(RedisOptions options, String stream, long mostKept) {
        this(options, stream, mostKept, MessageFormat.CLOUD_EVENTS);
    }

    /** The same in a format for consumers that exist already. {@code Long.MAX_VALUE} keeps everything. */
    public RedisStreamSink(RedisOptions options, String stream, long mostKept, MessageFormat format) {
        this.format = Checks.missing("format", format);
        this.options = Checks.missing("redis options", options);
        this.stream = Checks.unlessName("redis stream", stream);
        this.mostKept = mostKept;
        if (mostKept < FEWEST) {
            throw PostriderException.refused(
                    "most kept of stream " + stream + " must be at least " + FEWEST + ", was " + mostKept);
        }
        this.link = new RedisLink(options, "postrider-stream", stream);
    }

    @Override
    public String describe() {
        return "redis stream " + stream + " at " + options.place();
    }

    // ── sending ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public SendResult send(RelayEpoch epoch, List<LogEvent> events) {
        for (int from = 0; from < events.size(); from += AT_ONCE) {
            List<LogEvent> slice = events.subList(from, Math.min(from + AT_ONCE, events.size()));
            SendResult receipt = append(epoch, slice, from);
            if (!receipt.isWhole()) {
                return receipt;
            }
        }
        return SendResult.whole();
    }

    private SendResult append(RelayEpoch epoch, List<LogEvent> events, int before) {
        List<RedisFuture<String>> queued = new ArrayList<>(events.size());
        Replies<TransactionResult> replies = link.send(commands -> {
            commands.multi();
            events.forEach(event -> queued.add(add(commands, epoch, event)));
            return List.of(commands.exec());
        });
        if (replies.error() != null) {
            return SendResult.unavailable(
                    before, replies.isRejected() ? why(queued, replies.error()) : replies.error());
        }
        int taken = 0;
        for (Object reply : replies.values().get(0)) {
            if (reply instanceof Throwable error) {
                return SendResult.unavailable(before + taken, error);
            }
            taken++;
        }
        return taken == events.size()
                ? SendResult.whole()
                : SendResult.unavailable(before + taken, new RedisException("redis has discarded the transaction"));
    }

    private RedisFuture<String> add(RedisAsyncCommands<String, String> commands, RelayEpoch epoch, LogEvent event) {
        Map<String, String> fields = fields(event);
        fields.put("course", mark(epoch));
        return mostKept == Long.MAX_VALUE
                ? commands.xadd(stream, fields)
                : commands.xadd(stream, new XAddArgs().maxlen(mostKept).approximateTrimming(), fields);
    }

    private Map<String, String> fields(LogEvent event) {
        if (format == MessageFormat.CLOUD_EVENTS) {
            Map<String, String> fields = Envelope.attributes(event);
            fields.put("data", event.payload());
            return fields;
        }
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("payload", format.text(event));
        fields.put(MessageFormat.EVENT_ID, event.id().toString());
        fields.put("event_type", event.type());
        fields.put("topic", event.topic());
        fields.put("position", Long.toString(event.position()));
        return fields;
    }

    /** The error of an aborted transaction does not say why; the reason is the error of the queued command. */
    private static Throwable why(List<RedisFuture<String>> queued, Throwable aborted) {
        return queued.stream()
                .map(RedisFuture::getError)
                .filter(error -> error != null && !error.isEmpty())
                .findFirst()
                .<Throwable>map(RedisException::new)
                .orElse(aborted);
    }

    private static String mark(RelayEpoch epoch) {
        return epoch.relay() + "/" + epoch.number();
    }

    // ── reading back ────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Reads back from the end of the stream until a page has entries of this epoch and none of them is after the position. It
     * must be a whole page, because concurrent sends and retries put entries out of order. At most 20,000 entries are read: if
     * others have written that many entries to the same stream since, older entries of the relay are not found.
     */
    @Override
    public Map<Long, UUID> holds(RelayEpoch epoch, long after) {
        Map<Long, UUID> held = new HashMap<>();
        Range.Boundary<String> before = Range.Boundary.unbounded();
        for (int page = 0; page < PAGES; page++) {
            Range<String> range = Range.from(Range.Boundary.unbounded(), before);
            List<StreamMessage<String, String>> entries =
                    link.ask(commands -> commands.xrevrange(stream, range, Limit.from(PAGE)));
            boolean reached = collect(entries, epoch, after, held);
            if (reached || entries.size() < PAGE) {
                return held;
            }
            before = Range.Boundary.excluding(entries.get(entries.size() - 1).getId());
        }
        log.warn(
                "redis_stream_search_limited stream={} course={} entries={} found={} the search did not"
                        + " reach position {}; older events may be sent again",
                stream,
                mark(epoch),
                PAGES * PAGE,
                held.size(),
                after);
        return held;
    }

    private static boolean collect(
            List<StreamMessage<String, String>> entries, RelayEpoch epoch, long after, Map<Long, UUID> held) {
        boolean older = false;
        boolean newer = false;
        for (StreamMessage<String, String> entry : entries) {
            Map<String, String> fields = entry.getBody();
            if (mark(epoch).equals(fields.get("course")) && epoch.topic().equals(fields.get("topic"))) {
                try {
                    long position = Long.parseLong(fields.getOrDefault("position", "0"));
                    UUID id =
                            UUID.fromString(fields.getOrDefault("id", fields.getOrDefault(MessageFormat.EVENT_ID, "")));
                    older |= position <= after;
                    newer |= position > after;
                    if (position > after) {
                        held.put(position, id);
                    }
                } catch (IllegalArgumentException e) {
                    // not ours: others may write to the stream, and must not block us by that
                    log.debug("redis_stream_entry_ignored entry={}", entry.getId());
                }
            }
        }
        return older && !newer;
    }

    @Override
    public String message(LogEvent event) {
        return format.text(event);
    }

    /** Reads a stream from this time up to its present end, on a connection of its own. A field {@code data} has the payload. */
    @Override
    public boolean readPublished(PublishedQuery query, Consumer<PublishedMessage> messages) {
        String name = query.place() == null ? stream : Checks.unlessName("redis stream", query.place());
        try (RedisLink reader = new RedisLink(options, "postrider-reader", name)) {
            return StreamReading.read(reader, name, query, messages);
        }
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
