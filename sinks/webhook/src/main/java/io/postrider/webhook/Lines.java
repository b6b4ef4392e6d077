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
 * The connections to one endpoint: as many as threads send at once, each used by one of them at a time, kept for a while for the
 * next. Safe to share among threads.
 */
final class Lines implements AutoCloseable {
    /** Most servers keep a quiet connection for longer; the shortest usual time is 5 s, and then we find out by sending. */
    private static final Duration IDLE = Duration.ofSeconds(20);

    /** The address of a connection is as old as the connection: a host that has moved is followed after this time. */
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
     * Sends a request and gives the answer. A kept connection may have been closed by the other side, who says so only when it is
     * used: then once more, on a new one. The id makes it the same message.
     */
    Answer post(byte[] request) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            Line kept = kept();
            if (kept != null) {
                try {
                    return exchange(kept, request, end);
                } catch (Unreached e) {
                    // below, on a new one
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

    /** One address after the other, each with its share of the time that is left. */
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

    /** Who closes looks at what is open, and we look whether it is closed: one of us sees the other. */
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
