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
 * A network that breaks on request: a proxy between a client and a server on this machine that holds, delays or cuts the traffic.
 * A cut at {@code COMMIT} is the case that no other tool creates on purpose: the client cannot know whether its transaction was
 * committed.
 *
 * <p>Cuts inspect the bytes, so a connection that is cut at a marker must not be encrypted. Threads may share it.
 */
public final class TcpProxy implements AutoCloseable {

    /** The direction of the bytes. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    /** Whether the bytes that trigger a cut are still delivered. */
    public enum Cut {
        /** They are not delivered. */
        BEFORE,
        /** They are delivered, and the reply is lost. */
        AFTER
    }

    private static final int CHUNK = 16 * 1024;
    private static final Duration JOIN = Duration.ofSeconds(20);

    private volatile int target;
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

    /** A proxy to a port of this machine, without faults so far. */
    public static TcpProxy to(int port) {
        try {
            TcpProxy proxy =
                    new TcpProxy(requirePort(port), new ServerSocket(0, 200, InetAddress.getLoopbackAddress()));
            proxy.daemon("tcp-proxy-accept", proxy::acceptAll);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int requirePort(int port) {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1..65535, was " + port);
        }
        return port;
    }

    /** New connections go to this port, like those to an address that a failover has moved. Open ones stay. */
    public void moveTo(int port) {
        target = requirePort(port);
    }

    /** The port on 127.0.0.1 that clients connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Holds all traffic without closing connections: like a link that is down or a host that hangs. */
    public void hold() {
        hold(Direction.TO_SERVER);
        hold(Direction.TO_CLIENT);
    }

    public void hold(Direction direction) {
        lane(direction).setHeld(true);
    }

    /** Releases the held traffic; requested cuts and delays stay in effect. */
    public void resume() {
        lanes.values().forEach(lane -> lane.setHeld(false));
    }

    /** Delays each chunk by this time; zero ends the delay. Chunks are delayed one after the other. */
    public void delay(Direction direction, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative, was " + time);
        }
        lane(direction).delayNanos = time.toNanos();
    }

    /** Breaks every open connection with a reset on both sides. New connections are accepted. */
    public void cutAll() {
        List.copyOf(links).forEach(link -> {
            link.reset();
            cuts.incrementAndGet();
        });
    }

    /**
     * From now on open connections lose everything, in both directions, and neither side is told: like a firewall that has forgotten
     * them. New connections work.
     */
    public void swallow() {
        links.forEach(link -> link.swallowed = true);
    }

    /** Resets new connections at once, as if the server's host were up but the server down. */
    public void refuse() {
        refusing = true;
    }

    /** Ends {@link #refuse}. */
    public void accept() {
        refusing = false;
    }

    /** Once: cuts the connection on which the number of bytes from now on, summed over all connections, exceeds this. */
    public void cutAfterBytes(Direction direction, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative, was " + bytes);
        }
        lane(direction).arm(new Trap(bytes, null, Cut.BEFORE));
    }

    /** Once: cuts the connection on which this text (as UTF-8) occurs next, even if it is split across chunks. */
    public void cutAt(Direction direction, String marker, Cut cut) {
        if (marker.isEmpty()) {
            throw new IllegalArgumentException("marker must not be empty");
        }
        lane(direction).arm(new Trap(Long.MAX_VALUE, marker.getBytes(StandardCharsets.UTF_8), cut));
    }

    /** The number of connections that were cut in any way. */
    public int cuts() {
        return cuts.get();
    }

    /** The number of open connections. */
    public int connections() {
        return links.size();
    }

    /** Closes all connections and stops all threads. */
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
                    closeQuietly(client); // the server is down, and the client sees the same
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

    /** A thread stays in the list until it has ended: one that removed itself could outlive {@link #close} by a moment. */
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
            // already broken, which is intended
        }
    }

    /** One connection of a client and the matching one to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;

        /** Receives nothing more: the reply to bytes that a cut lets through may arrive before the cut is made. */
        private volatile @Nullable Socket deaf;

        private volatile boolean swallowed;

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
                    if (to == deaf || swallowed) {
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
                        // The receiver gets an orderly close, not a reset: it must be able to read what it was sent.
                        closeQuietly(to);
                    }
                    reset();
                    return;
                }
                lane.pass(this); // a held network does not deliver the end of a stream either
                if (swallowed) {
                    return;
                }
                to.shutdownOutput(); // one side has finished; the other may continue
                if (from.isOutputShutdown()) {
                    finish();
                }
            } catch (IOException e) {
                if (!swallowed || closed) {
                    reset();
                }
            }
        }

        boolean open() {
            return !closed && !client.isClosed() && !server.isClosed();
        }

        /** Both sides have closed normally, so data in transit must still arrive. */
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
                    // closed already
                }
                closeQuietly(socket);
            }
            lanes.values().forEach(Lane::wake);
        }
    }

    /** The faults requested for one direction, across all connections. */
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

        /** Returns when a chunk may be forwarded. */
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

        /** The trap, if these bytes trigger it; it is then removed. */
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

    /** The end of the previous chunk of the same connection: a marker may be split across two chunks. */
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
