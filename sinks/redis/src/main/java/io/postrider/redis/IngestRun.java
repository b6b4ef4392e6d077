package io.postrider.redis;

import io.lettuce.core.Consumer;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisException;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.XAutoClaimArgs;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.models.stream.ClaimedMessages;
import io.postrider.Backoff;
import io.postrider.PostriderException;
import io.postrider.redis.RedisIngest.Entry;
import io.postrider.redis.RedisLink.Replies;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker of a {@link RedisIngest}: a consumer of the group, with its own thread and connection.
 *
 * <pre>
 * READING   waits up to 1 s for new entries. Before that, at intervals, it claims entries that another consumer has held for too
 *           long. A crash leaves nothing behind.
 * MOVING    enqueues them in one transaction. If the database fails, it waits and retries the same entries. A crash leaves the
 *           entries pending, and another consumer claims them.
 * CLEARING  acknowledges and deletes them in one Redis transaction; entries that cannot become a job are first copied to the
 *           stream of refused entries. If Redis fails, it waits and retries. A crash leaves entries that are already jobs; the
 *           consumer that claims them detects that.
 * CLOSED    by close(), after CLEARING or during a wait.
 * </pre>
 */
final class IngestRun implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IngestRun.class);
    private static final Duration BLOCK = Duration.ofSeconds(1);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    private static final long REFUSED_KEPT = 100_000;

    private final IngestOptions options;
    private final String name;
    private final Mover mover;
    private final RedisOptions redis;
    private final RedisLink link;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable RedisLink refusedLink;
    private int failures; // in a row
    private boolean grouped;
    private long lastSweep = System.nanoTime();
    private String sweepFrom = "0-0";
    private boolean sweeping = true;

    IngestRun(RedisOptions redis, IngestOptions options, String name, Mover mover) {
        this.options = options;
        this.name = name;
        this.mover = mover;
        this.redis = redis;
        this.link = new RedisLink(redis, "postrider-ingest", options.stream());
        this.thread = new Thread(this::run, "postrider-ingest-" + options.stream());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!isClosed()) {
            try {
                if (!grouped) {
                    joinGroup();
                }
                List<StreamMessage<String, String>> old = takeOver();
                boolean again = !old.isEmpty();
                List<StreamMessage<String, String>> messages = again ? old : readNew();
                if (!messages.isEmpty()) {
                    handle(messages, again);
                }
                failures = 0;
            } catch (RedisException e) {
                grouped = false; // the group may be lost with the data
                stumble("redis", e);
            } catch (RuntimeException | Error e) {
                // the current entries stay pending and are claimed as after a crash; all others continue
                log.error("redis_ingest_failed stream={}", options.stream(), e);
                stumble("itself", e);
            }
        }
    }

    // ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private void joinGroup() {
        try {
            link.ask(commands -> commands.xgroupCreate(
                    XReadArgs.StreamOffset.from(options.stream(), "0"),
                    options.group(),
                    XGroupCreateArgs.Builder.mkstream()));
        } catch (RedisBusyException e) {
            // the group exists already
        }
        grouped = true;
    }

    private List<StreamMessage<String, String>> readNew() {
        XReadArgs args = XReadArgs.Builder.count(options.batch()).block(BLOCK);
        return link.ask(
                BLOCK,
                commands ->
                        commands.xreadgroup(consumer(), args, XReadArgs.StreamOffset.lastConsumed(options.stream())));
    }

    /**
     * Claims one page of entries that another consumer has held for too long; the next call claims the next page, until the end.
     */
    private List<StreamMessage<String, String>> takeOver() {
        if (!sweeping && System.nanoTime() - lastSweep < options.claimAfter().toNanos() / 2) {
            return List.of();
        }
        XAutoClaimArgs<String> args = XAutoClaimArgs.Builder.xautoclaim(consumer(), options.claimAfter(), sweepFrom)
                .count(options.batch());
        ClaimedMessages<String, String> claimed = link.ask(commands -> commands.xautoclaim(options.stream(), args));
        sweepFrom = claimed.getId();
        sweeping = !sweepFrom.equals("0-0");
        lastSweep = System.nanoTime();
        if (!claimed.getMessages().isEmpty()) {
            log.info(
                    "redis_ingest_taken_over stream={} entries={}",
                    options.stream(),
                    claimed.getMessages().size());
        }
        return claimed.getMessages();
    }

    private Consumer<String> consumer() {
        return Consumer.from(options.group(), name);
    }

    // ── moving and clearing ─────────────────────────────────────────────────────────────────────────────────────────

    private void handle(List<StreamMessage<String, String>> messages, boolean again) {
        List<Entry> entries = new ArrayList<>();
        for (StreamMessage<String, String> message : messages) {
            Map<String, String> fields = message.getBody() == null ? Map.of() : message.getBody();
            String id = fields.getOrDefault("id", message.getId());
            entries.add(new Entry(message.getId(), id, fields.getOrDefault("data", ""), fields));
        }
        boolean repeated = again;
        while (!isClosed()) {
            try {
                Map<Entry, String> refused = mover.move(entries, repeated);
                failures = 0;
                clear(entries, refused);
                return;
            } catch (PostriderException | SQLException e) {
                repeated = true; // the commit may have succeeded
                stumble("database", e);
            }
        }
    }

    /** Clears the entries that became jobs first: a Redis that is full accepts no new entry, and this frees memory. */
    private void clear(List<Entry> entries, Map<Entry, String> refused) {
        clear(entries.stream().filter(entry -> !refused.containsKey(entry)).toList());
        refused.forEach(this::setAside);
        clear(List.copyOf(refused.keySet()));
    }

    private void clear(List<Entry> entries) {
        String[] numbers = entries.stream().map(Entry::number).toArray(String[]::new);
        while (numbers.length > 0) {
            Replies<TransactionResult> replies = link.send(commands -> {
                commands.multi();
                commands.xack(options.stream(), options.group(), numbers);
                commands.xdel(options.stream(), numbers);
                return List.of(commands.exec());
            });
            if (replies.error() == null) {
                return;
            }
            if (isClosed()) {
                throw new RedisException(replies.error()); // they are jobs; the consumer that claims them detects it
            }
            stumble("redis", replies.error());
        }
    }

    private void setAside(Entry entry, String error) {
        XAddArgs args = new XAddArgs().maxlen(REFUSED_KEPT).approximateTrimming();
        refusedLink().ask(commands -> commands.xadd(options.refused(), args, aside(entry, error)));
        log.error(
                "redis_ingest_refused stream={} entry={} aside={} error=\"{}\"",
                options.stream(),
                entry.number(),
                options.refused(),
                error);
    }

    /** Opened for the first refused entry. In a cluster, another node may own this stream. */
    private RedisLink refusedLink() {
        RedisLink opened = refusedLink;
        if (opened == null) {
            opened = new RedisLink(redis, "postrider-ingest", options.refused());
            refusedLink = opened;
        }
        return opened;
    }

    private static Map<String, String> aside(Entry entry, String error) {
        Map<String, String> fields = new LinkedHashMap<>(entry.fields());
        fields.put("refused-number", entry.number());
        fields.put("refused-error", error);
        return fields;
    }

    private void stumble(String what, Throwable error) {
        failures++;
        long rest = BACKOFF.exact(failures).toMillis();
        log.warn(
                "redis_ingest_retrying stream={} at={} rest_ms={} error=\"{}\"",
                options.stream(),
                what,
                rest,
                PeerText.clean(error.getMessage()));
        try {
            closed.await(rest, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed.countDown();
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    void stop() {
        closed.countDown();
    }

    /** Leaves the group if nothing is pending: deleting a consumer would also drop its pending entries. */
    @Override
    public void close() {
        stop();
        try {
            thread.join(10_000);
            if (!thread.isAlive() && pending() == 0) {
                link.ask(commands -> commands.xgroupDelconsumer(options.stream(), consumer()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RedisException e) {
            log.info(
                    "redis_ingest_left stream={} consumer {} could not be removed from the group: {}",
                    options.stream(),
                    name,
                    PeerText.clean(e.getMessage()));
        }
        link.close();
        RedisLink opened = refusedLink;
        if (opened != null) {
            opened.close();
        }
    }

    private long pending() {
        Map<String, Long> counts =
                new HashMap<>(link.ask(commands -> commands.xpending(options.stream(), options.group()))
                        .getConsumerMessageCount());
        return counts.getOrDefault(name, 0L);
    }
}
