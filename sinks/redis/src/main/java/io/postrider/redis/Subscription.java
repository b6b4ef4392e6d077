package io.postrider.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.Backoff;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes to one channel with its own thread, until it is closed.
 *
 * <pre>
 * AWAY       connects and subscribes; if that fails, waits 100 ms, then twice as long up to 2 s.
 * LISTENING  after the server's confirmation. The connection's thread passes messages on. After 5 s without a message it sends a
 *            ping, since a connection that a firewall has dropped looks like an idle channel. Ends when the connection is lost
 *            or the ping is not answered.
 * CLOSED     by close().
 * </pre>
 */
final class Subscription implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Subscription.class);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    private final RedisOptions options;
    private final String channel;
    private final Consumer<String> message;
    private final Consumer<Boolean> changed;
    private final RedisLink link;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean listening;
    private volatile long lastHeard;

    /**
     * @param message called for each message; must be fast
     * @param changed called with true or false whenever the subscription is established or lost
     */
    Subscription(RedisOptions options, String channel, Consumer<String> message, Consumer<Boolean> changed) {
        this.options = options;
        this.channel = channel;
        this.message = message;
        this.changed = changed;
        this.link = new RedisLink(options, "postrider-feed", channel);
        this.thread = new Thread(this::run, "postrider-redis-" + channel);
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    boolean isListening() {
        return listening;
    }

    private void run() {
        int failures = 0; // in a row
        while (closed.getCount() > 0) {
            try {
                listen();
                failures = 0;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException | ExecutionException | TimeoutException | Error e) {
                log.warn(
                        "redis_feed_disconnected channel={} redis={} error=\"{}\"",
                        channel,
                        options.place(),
                        PeerText.clean(e.getMessage()));
            }
            failures++;
            if (await(BACKOFF.exact(failures))) {
                return;
            }
        }
    }

    /** Runs until the connection is lost. */
    private void listen() throws InterruptedException, ExecutionException, TimeoutException {
        Semaphore gone = new Semaphore(0);
        try (StatefulRedisPubSubConnection<String, String> connection = link.listen()) {
            connection.addListener(new RedisConnectionStateAdapter() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                    gone.release();
                }
            });
            connection.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String from, String text) {
                    lastHeard = System.nanoTime();
                    message.accept(text);
                }
            });
            connection.async().subscribe(channel).get(options.timeout().toMillis(), TimeUnit.MILLISECONDS);
            log.info("redis_feed_listening channel={} redis={}", channel, options.place());
            turn(true);
            while (connection.isOpen() && !gone.tryAcquire(QUIET.toMillis(), TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - lastHeard > QUIET.toNanos()) {
                    connection.async().ping().get(options.timeout().toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } finally {
            turn(false);
        }
    }

    private void turn(boolean on) {
        if (listening != on) {
            listening = on;
            changed.accept(on);
        }
    }

    private boolean await(Duration rest) {
        try {
            return closed.await(rest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        link.close();
    }
}
