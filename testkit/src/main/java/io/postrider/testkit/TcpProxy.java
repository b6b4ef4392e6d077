package io.postrider.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A network that breaks on request: stands between a client and a server on this machine, and holds, delays or cuts
 * what goes through. A cut at {@code COMMIT} is the case that no other tool makes on purpose: the client cannot know
 * whether its transaction exists.
 *
 * <p>The bytes are looked at as they come, so the connection must not be encrypted where a cut looks for a marker.
 * Threads may share it.
 */
public final class TcpProxy implements AutoCloseable {

    /** Which way the bytes go. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    /** Whether the bytes that a cut waits for still get through. */
    public enum Cut {
        /** The receiver never gets them. */
        BEFORE,
        /** The receiver gets them, and its answer is lost. */
        AFTER
    }

    private static final int CHUNK = 16 * 1024;
    private static final Duration JOIN = Duration.ofSeconds(20);

    private final int target;
    private final ServerSocket listener;
    private final Map<Direction, Lane> lanes = new EnumMap<>(Direction.class);
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean refusing;
    private volatile boolean closed;

    private TcpProxy(int target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
        for (Direction direction : Direction.values()) {
            lanes.put(direction, new Lane());
        }
    }

    /** To a port of this machine; nothing is broken yet. */
    public static TcpProxy to(int port) {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1..65535, was " + port);
        }
        try {
            TcpProxy proxy = new TcpProxy(port, new ServerSocket(0, 200, InetAddress.getLoopbackAddress()));
            proxy.daemon("tcp-proxy-accept", proxy::acceptAll);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where clients connect to, on 127.0.0.1. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Nothing passes any more, and nobody is told: a link that is down, a host that hangs. */
    public void hold() {
        hold(Direction.TO_SERVER);
        hold(Direction.TO_CLIENT);
    }

    public void hold(Direction direction) {
        lane(direction).setHeld(true);
    }

    /** What was held goes on; what was asked of cuts and delays stays. */
    public void resume() {
        lanes.values().forEach(lane -> lane.setHeld(false));
    }

    /** Each piece waits so long before it goes on; zero ends it. Pieces wait one after the other. */
    public void delay(Direction direction, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative, was " + time);
        }
        lane(direction).delayNanos = time.toNanos();
    }

    /** Breaks every open connection, with a reset on both sides. New ones are let in. */
    public void cutAll() {
        List.copyOf(links).forEach(link -> {
            link.reset();
            cuts.incrementAndGet();
        });
    }

    /** New connections are reset at once, as if the server's host were up and the server were not. */
    public void refuse() {
        refusing = true;
    }

    /** Ends {@link #refuse}. */
    public void accept() {
        refusing = false;
    }

    /** Once: cuts the connection over which the count of bytes from now on, over all connections, passes this. */
    public void cutAfterBytes(Direction direction, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative, was " + bytes);
        }
        lane(direction).arm(new Trap(bytes, null, Cut.BEFORE));
    }

    /** Once: cuts the connection over which this text (as UTF-8) next passes, be it in pieces. */
    public void cutAt(Direction direction, String marker, Cut cut) {
        if (marker.isEmpty()) {
            throw new IllegalArgumentException("marker must not be empty");
        }
        lane(direction).arm(new Trap(Long.MAX_VALUE, marker.getBytes(StandardCharsets.UTF_8), cut));
    }

    /** How many connections have been cut, in any way. */
    public int cuts() {
        return cuts.get();
    }

    /** How many connections are open. */
    public int connections() {
        return links.size();
    }

    /** Ends every connection and every thread. */
    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        List.copyOf(links).forEach(Link::reset);
        for (Thread thread : threads) {
            try {
                thread.join(JOIN.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void acceptAll() {
        while (!closed) {
            Socket client = null;
            try {
                client = listener.accept();
                if (refusing) {
                    client.setSoLinger(true, 0);
                    client.close();
                    continue;
                }
                open(client);
            } catch (IOException e) {
                if (client != null) {
                    closeQuietly(client); // the server is not there: the client sees the same
                }
            }
        }
    }

    private void open(Socket client) throws IOException {
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Link link = new Link(client, server);
        links.add(link);
        if (closed) {
            link.reset();
            return;
        }
        daemon("tcp-proxy-to-server", () -> link.pump(client, server, lane(Direction.TO_SERVER)));
        daemon("tcp-proxy-to-client", () -> link.pump(server, client, lane(Direction.TO_CLIENT)));
    }

    private Lane lane(Direction direction) {
        Lane lane = lanes.get(direction);
        if (lane == null) {
            throw new IllegalStateException("no lane " + direction);
        }
        return lane;
    }

    /** A thread stays on the list until it has died: one that took itself off could outlive {@link #close} by a moment. */
    private void daemon(String name, Runnable work) {
        threads.removeIf(thread -> !thread.isAlive());
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // it is broken already, which is what was wanted
        }
    }

    /** One connection of a client, and ours for it to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;

        /** Gets nothing more: the answer to what a cut lets through can be here before the cut is made. */
        private volatile @Nullable Socket deaf;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pump(Socket from, Socket to, Lane lane) {
            byte[] chunk = new byte[CHUNK];
            Tail tail = new Tail();
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    lane.pass(this);
                    if (to == deaf) {
                        continue;
                    }
                    Trap sprung = lane.look(chunk, n, tail);
                    if (sprung == null) {
                        out.write(chunk, 0, n);
                        continue;
                    }
                    cuts.incrementAndGet();
                    if (sprung.cut == Cut.AFTER) {
                        deaf = from;
                        out.write(chunk, 0, n);
                        out.flush();
                        // Closed in order, not reset, towards the receiver: it must read what it was sent.
                        closeQuietly(to);
                    }
                    reset();
                    return;
                }
                lane.pass(this); // a held network does not tell of an end either
                to.shutdownOutput(); // one side has finished; the other may go on
                if (from.isOutputShutdown()) {
                    finish();
                }
            } catch (IOException e) {
                reset();
            }
        }

        boolean open() {
            return !closed && !client.isClosed() && !server.isClosed();
        }

        /** Both sides have ended in order, so what is still on its way must arrive. */
        private void finish() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }

        void reset() {
            links.remove(this);
            for (Socket socket : List.of(client, server)) {
                try {
                    socket.setSoLinger(true, 0);
                } catch (IOException e) {
                    // closed before
                }
                closeQuietly(socket);
            }
            lanes.values().forEach(Lane::wake);
        }
    }

    /** What was asked of the bytes that go one way, whatever the connection. */
    private static final class Lane {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private boolean held;
        private @Nullable Trap trap;
        volatile long delayNanos;

        void setHeld(boolean value) {
            lock.lock();
            try {
                held = value;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void wake() {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void arm(Trap armed) {
            lock.lock();
            try {
                trap = armed;
            } finally {
                lock.unlock();
            }
        }

        /** Returns when a piece may go on. */
        void pass(Link link) {
            long end = System.nanoTime() + delayNanos;
            while (System.nanoTime() - end < 0 && link.open()) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            lock.lock();
            try {
                while (held && link.open()) {
                    changed.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }

        /** The trap, if these bytes spring it; it is then gone. */
        @Nullable
        Trap look(byte[] chunk, int length, Tail tail) {
            lock.lock();
            try {
                Trap armed = trap;
                if (armed != null && armed.springs(chunk, length, tail)) {
                    trap = null;
                    return armed;
                }
                return null;
            } finally {
                lock.unlock();
            }
        }
    }

    /** The end of what went before on the same connection: a marker may come in two pieces. */
    private static final class Tail {
        private byte[] bytes = new byte[0];
    }

    private static final class Trap {
        private long bytesLeft;
        private final byte @Nullable [] marker;
        private final Cut cut;

        Trap(long bytesLeft, byte @Nullable [] marker, Cut cut) {
            this.bytesLeft = bytesLeft;
            this.marker = marker;
            this.cut = cut;
        }

        boolean springs(byte[] chunk, int length, Tail tail) {
            if (marker == null) {
                bytesLeft -= length;
                return bytesLeft < 0;
            }
            byte[] seen = new byte[tail.bytes.length + length];
            System.arraycopy(tail.bytes, 0, seen, 0, tail.bytes.length);
            System.arraycopy(chunk, 0, seen, tail.bytes.length, length);
            if (indexOf(seen, marker) >= 0) {
                return true;
            }
            int keep = Math.min(marker.length - 1, seen.length);
            tail.bytes = java.util.Arrays.copyOfRange(seen, seen.length - keep, seen.length);
            return false;
        }

        private static int indexOf(byte[] in, byte[] what) {
            for (int i = 0; i + what.length <= in.length; i++) {
                if (java.util.Arrays.equals(in, i, i + what.length, what, 0, what.length)) {
                    return i;
                }
            }
            return -1;
        }
    }
}
