package io.postrider.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the Redis server of a key or channel, opened on demand ({@link ServerFinder}). No command is ever sent twice: Lettuce's own reconnect is off, because it
 * resends a command that was in flight when the connection broke, executed or not. The outcome of such a command is unknown, and
 * the caller gets an error that says so.
 *
 * <p>An abandoned connection may still have commands in the server's buffers, which would be executed after we have checked on
 * the next connection what has arrived. So a new connection first kills the former one on the server ({@code CLIENT KILL}, by id
 * and address, since ids restart with the server). After that, no late command can be executed.
 *
 * <p>Safe to share: the commands of one call are written in one piece, and the lock is not held while waiting for replies.
 */
final class RedisLink implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RedisLink.class);
    /** EXECABORT: a command of a transaction was refused, for one of the other reasons or for another one. */
    private static final List<String> ELSEWHERE =
            List.of("MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN", "READONLY", "MASTERDOWN", "EXECABORT");

    private static final Pattern ID = Pattern.compile("\\bid=(\\d+) addr=(\\S+)");

    private final RedisOptions options;
    private final String name;
    private final ClientResources resources;
    private final RedisClient client;
    private final ServerFinder finder;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable StatefulRedisConnection<String, String> connection;
    private @Nullable Former former;
    private boolean unfenced;
    private boolean closed;

    /** A connection, as identified by the server. */
    private record Former(long id, String address) {}

    /**
     * The replies in the order of the commands, up to the first that is missing or an error.
     *
     * @param error why there are no more; null if the replies are complete
     */
    record Replies<T>(List<T> values, @Nullable Throwable error) {
        /** Whether the server returned an error. Otherwise the connection failed, and the outcome of the command is unknown. */
        boolean isRejected() {
            return error instanceof RedisCommandExecutionException;
        }
    }

    /** @param key the only key or channel that it is used for: in a cluster, it decides about the node */
    RedisLink(RedisOptions options, String name, String key) {
        this.options = options;
        this.name = name;
        this.resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        this.client = RedisClient.create(resources);
        this.finder = new ServerFinder(client, options, name, key);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .pingBeforeActivateConnection(true)
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(options.connectTimeout())
                        .keepAlive(true)
                        .build())
                .timeoutOptions(
                        TimeoutOptions.builder().timeoutCommands(false).build()) // this class applies its own timeouts
                .build());
    }

    /** Writes commands in one piece and waits for their replies, up to the timeout in the options. */
    <T> Replies<T> send(Function<RedisAsyncCommands<String, String>, List<RedisFuture<T>>> writer) {
        return send(Duration.ZERO, writer);
    }

    private <T> Replies<T> send(
            Duration longer, Function<RedisAsyncCommands<String, String>, List<RedisFuture<T>>> writer) {
        StatefulRedisConnection<String, String> used = null;
        List<RedisFuture<T>> written;
        lock.lock();
        try {
            used = opened();
            written = writer.apply(used.async());
            used.flushCommands();
        } catch (RuntimeException e) {
            giveUp(used); // some may be in the buffer and would be sent with the next ones
            return new Replies<>(List.of(), e);
        } finally {
            lock.unlock();
        }
        return await(used, written, options.timeout().plus(longer));
    }

    /** One command and its reply. */
    <T> T ask(Function<RedisAsyncCommands<String, String>, RedisFuture<T>> writer) {
        return ask(Duration.ZERO, writer);
    }

    /** One command that may block on the server for a while. */
    <T> T ask(Duration longer, Function<RedisAsyncCommands<String, String>, RedisFuture<T>> writer) {
        Replies<T> replies = send(longer, commands -> List.of(writer.apply(commands)));
        if (replies.error() instanceof RuntimeException e) {
            throw e;
        }
        if (replies.error() != null) {
            throw new RedisException(replies.error());
        }
        return replies.values().get(0);
    }

    /** A subscribing connection, which the caller must close. */
    StatefulRedisPubSubConnection<String, String> listen() {
        return client.connectPubSub(StringCodec.UTF8, finder.find());
    }

    private <T> Replies<T> await(
            StatefulRedisConnection<String, String> used, List<RedisFuture<T>> written, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        List<T> values = new ArrayList<>(written.size());
        for (RedisFuture<T> future : written) {
            try {
                values.add(future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (ExecutionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                if (!(cause instanceof RedisCommandExecutionException) || isElsewhere(cause)) {
                    giveUp(used);
                }
                return new Replies<>(values, cleaned(cause));
            } catch (TimeoutException e) {
                giveUp(used);
                return new Replies<>(
                        values, lost("no reply from " + options.place() + " within " + most.toMillis() + " ms"));
            } catch (CancellationException e) {
                giveUp(used);
                return new Replies<>(values, lost("the connection to " + options.place() + " is lost"));
            } catch (InterruptedException e) {
                giveUp(used);
                Thread.currentThread().interrupt();
                return new Replies<>(values, lost("interrupted while waiting for " + options.place()));
            }
        }
        return new Replies<>(values, null);
    }

    /** Whether another server is in charge, or may be: then the next call finds out which. */
    private boolean isElsewhere(Throwable error) {
        String text = String.valueOf(error.getMessage());
        return options.topology().kind() != RedisTopology.Kind.SINGLE
                && ELSEWHERE.stream().anyMatch(text::startsWith);
    }

    /** A relay shows the message of an error to its operators and in the log. */
    private static Throwable cleaned(Throwable error) {
        String clean = PeerText.clean(error.getMessage());
        return error instanceof RedisCommandExecutionException && !clean.equals(error.getMessage())
                ? new RedisCommandExecutionException(clean)
                : error;
    }

    private static RedisException lost(String what) {
        return new RedisException(what);
    }

    private StatefulRedisConnection<String, String> opened() {
        StatefulRedisConnection<String, String> current = connection;
        if (current != null && current.isOpen()) {
            return current;
        }
        giveUp(current);
        if (closed) {
            throw new RedisException("closed");
        }
        StatefulRedisConnection<String, String> fresh = client.connect(finder.find());
        try {
            fence(fresh);
            fresh.setAutoFlushCommands(false);
        } catch (RuntimeException e) {
            fresh.close();
            throw e;
        }
        connection = fresh;
        return fresh;
    }

    private void fence(StatefulRedisConnection<String, String> fresh) {
        try {
            Former last = former;
            if (last != null) {
                fresh.sync().clientKill(new KillArgs().id(last.id()).addr(last.address()));
            }
            former = known(fresh.sync().clientInfo());
        } catch (RedisCommandExecutionException e) {
            former = null;
            if (!unfenced) {
                unfenced = true;
                log.warn(
                        "redis_unfenced name={} redis={} error=\"{}\" commands in flight when a connection breaks may arrive"
                                + " late and be repeated: allow this user +client|info +client|kill",
                        name,
                        options.place(),
                        PeerText.clean(e.getMessage()));
            }
        }
    }

    private static @Nullable Former known(String info) {
        Matcher matcher = ID.matcher(info);
        return matcher.find() ? new Former(Long.parseLong(matcher.group(1)), matcher.group(2)) : null;
    }

    /** Runs once, as another thread may have done it in the meantime. */
    private void giveUp(@Nullable StatefulRedisConnection<String, String> used) {
        lock.lock();
        try {
            if (used != null && connection == used) {
                connection = null;
                used.closeAsync();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            connection = null; // the client closes it
        } finally {
            lock.unlock();
        }
        client.shutdown(0, 2, TimeUnit.SECONDS);
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
    }
}
