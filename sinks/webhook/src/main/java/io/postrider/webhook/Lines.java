package io.postrider.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The connection pool for one endpoint: one connection per sending thread, used by one thread at a time and kept for a while for
 * reuse. Safe to share among threads.
 */
final class Lines implements AutoCloseable {
    /** Most servers keep an idle connection for longer. The shortest usual time is 5 s; then the next request finds it closed. */
    private static final Duration IDLE = Duration.ofSeconds(20);

    /**
     * The maximum age of a connection. The address is resolved only when connecting, so a host that has moved is followed after
     * this time.
     */
    private static final Duration AGE = Duration.ofMinutes(1);

    private static final int KEPT = 64;

    private final Endpoint endpoint;
    private final SSLContext tls;
    private final Duration connectTimeout;
    private final Duration timeout;
    private final Deque<Line> idle = new ConcurrentLinkedDeque<>();
    private final Set<Line> open = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor watch;
    private volatile boolean closed;

    Lines(Endpoint endpoint, WebhookOptions options) {
        this.endpoint = endpoint;
        this.tls = tls(options.tls());
        this.connectTimeout = options.connectTimeout();
        this.timeout = options.timeout();
        this.watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "postrider-webhook-watch");
            thread.setDaemon(true);
            return thread;
        });
        watch.setRemoveOnCancelPolicy(true);
        watch.scheduleWithFixedDelay(this::closeStale, 5, 5, TimeUnit.SECONDS);
    }

    private static SSLContext tls(@Nullable SSLContext own) {
        try {
            return own == null ? SSLContext.getDefault() : own;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    /**
     * Sends a request and returns the response. The other side may have closed a kept connection, which shows only when it is
     * used: then the request is sent again on a new one. The id makes it the same message.
     */
    Answer post(byte[] request) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            Line kept = kept();
            if (kept != null) {
                try {
                    return exchange(kept, request, end);
                } catch (Unreached e) {
                    // retried below, on a new connection
                }
            }
            return exchange(connect(end), request, end);
        } catch (RejectedExecutionException e) {
            throw closed(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        watch.shutdownNow();
        open.forEach(this::drop);
    }

    private @Nullable Line kept() {
        for (Line line = idle.pollFirst(); line != null; line = idle.pollFirst()) {
            if (!line.isStale(IDLE, AGE) && line.isQuiet()) {
                return line;
            }
            drop(line);
        }
        return null;
    }

    private Answer exchange(Line line, byte[] request, long end) throws IOException {
        boolean keep = false;
        try {
            Answer answer = line.exchange(request, end);
            keep = answer.leavesOpen() && !closed && idle.size() < KEPT;
            return answer;
        } finally {
            if (keep) {
                idle.addFirst(line);
            } else {
                drop(line);
            }
        }
    }

    /** Tries one address after the other, each with its share of the remaining time. */
    private Line connect(long end) throws Unreached {
        List<InetAddress> addresses = endpoint.addresses();
        long began = System.nanoTime();
        long most = Math.min(connectTimeout.toNanos(), end - began);
        IOException last = new IOException("it has no address");
        for (int i = 0; i < addresses.size(); i++) {
            long now = System.nanoTime();
            long share = (began + most - now) / (addresses.size() - i);
            try {
                return opened(Line.open(endpoint, addresses.get(i), tls, now + share, watch));
            } catch (Unreached e) {
                throw e;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new Unreached("no connection: " + Answer.clean(String.valueOf(last.getMessage())), last);
    }

    /** close() closes all registered connections, and a new one checks the flag after registering, so no connection is missed. */
    private Line opened(Line line) throws Unreached {
        open.add(line);
        if (closed) {
            drop(line);
            throw closed(null);
        }
        return line;
    }

    private static Unreached closed(@Nullable Throwable cause) {
        return new Unreached("the sink is closed", cause);
    }

    private void drop(Line line) {
        open.remove(line);
        line.close();
    }

    private void closeStale() {
        for (Line line : List.copyOf(idle)) {
            if (line.isStale(IDLE, AGE) && idle.remove(line)) {
                drop(line);
            }
        }
    }
}
