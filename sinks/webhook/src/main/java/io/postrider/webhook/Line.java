package io.postrider.webhook;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One connection to one address. Requests are sent one after the other, never concurrently.
 *
 * <p>Timeouts are enforced by closing the TCP socket from the watch's thread: a write has no timeout of its own, a read has one
 * only per chunk, and closing a TLS socket blocks while it is writing.
 */
final class Line implements AutoCloseable {
    /** The timeout for the body: the status is known by then, and the next event is waiting. */
    private static final Duration BODY_TIME = Duration.ofSeconds(1);

    private final Socket tcp;
    private final InputStream in;
    private final OutputStream out;
    private final ScheduledExecutorService watch;
    private final long opened = System.nanoTime();
    private long used = opened;
    private boolean heard;

    private Line(Socket tcp, Socket socket, ScheduledExecutorService watch) throws IOException {
        this.tcp = tcp;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = new BufferedOutputStream(socket.getOutputStream());
        this.watch = watch;
    }

    /** Closes a socket when its time is over, unless it is closed first. */
    private static final class Guard implements AutoCloseable {
        private final Future<?> strike;
        private volatile boolean struck;

        Guard(Socket tcp, long end, ScheduledExecutorService watch) {
            this.strike = watch.schedule(
                    () -> {
                        struck = true;
                        tcp.close();
                        return true;
                    },
                    end - System.nanoTime(),
                    TimeUnit.NANOSECONDS);
        }

        @Override
        public void close() {
            strike.cancel(false);
        }
    }

    /** Connects to exactly this address and bypasses any proxy configured in the JVM, which would resolve the name again. */
    static Line open(Endpoint endpoint, InetAddress address, SSLContext tls, long end, ScheduledExecutorService watch)
            throws IOException {
        Socket tcp = new Socket(Proxy.NO_PROXY);
        try (Guard guard = new Guard(tcp, end, watch)) {
            try {
                tcp.setTcpNoDelay(true);
                tcp.connect(new InetSocketAddress(address, endpoint.port()));
                return new Line(tcp, endpoint.isTls() ? secured(tcp, endpoint, tls) : tcp, watch);
            } catch (IOException | RuntimeException e) {
                tcp.close();
                if (guard.struck) {
                    throw new SocketTimeoutException("not ready in time");
                }
                throw e;
            }
        }
    }

    /** Uses the host name of the URL for SNI and for the certificate, whatever the address. */
    private static SSLSocket secured(Socket tcp, Endpoint endpoint, SSLContext tls) throws IOException {
        SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(tcp, endpoint.peer(), endpoint.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        if (endpoint.isName()) {
            parameters.setServerNames(List.of(new SNIHostName(endpoint.peer())));
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /**
     * Sends a request and reads its response.
     *
     * @throws Unreached if the connection broke before the head of the response was complete
     * @throws Silence if no byte of a response arrived in time
     * @throws IOException if the response was incomplete or not HTTP
     */
    Answer exchange(byte[] request, long end) throws IOException {
        try (Guard guard = new Guard(tcp, end, watch)) {
            try {
                Answer answer = answer(request);
                answer.body(in, BODY_TIME);
                return answer;
            } catch (EOFException | SocketException | SSLException e) {
                if (guard.struck) {
                    throw heard ? new IOException("no whole answer in time", e) : new Silence(e);
                }
                throw new Unreached("the connection ended before an answer", e);
            } finally {
                used = System.nanoTime();
            }
        }
    }

    /** An endpoint that rejects a long body responds early and closes: that response counts, not the failed write. */
    private Answer answer(byte[] request) throws IOException {
        tcp.setSoTimeout(0);
        heard = false;
        IOException unsent = null;
        try {
            out.write(request);
            out.flush();
        } catch (SocketException | SSLException e) {
            unsent = e;
        }
        try {
            in.mark(1);
            heard = in.read() >= 0;
            in.reset();
            Answer answer = Answer.head(in);
            tcp.setSoTimeout((int) BODY_TIME.toMillis());
            return answer;
        } catch (EOFException | SocketException | SSLException e) {
            throw unsent == null ? e : unsent;
        }
    }

    /** Whether it has been idle, or open, for too long to be used again. */
    boolean isStale(Duration idle, Duration age) {
        long now = System.nanoTime();
        return now - used >= idle.toNanos() || now - opened >= age.toNanos() || tcp.isClosed();
    }

    /**
     * Whether there is no unsolicited data: it would be mistaken for the response to the next request, whose event would count as
     * delivered. Under TLS this includes data that is not decrypted yet. Only for the thread that holds the connection: a reader
     * holds the stream's lock while it waits.
     */
    boolean isQuiet() {
        try {
            return in.available() == 0 && tcp.getInputStream().available() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            tcp.close();
        } catch (IOException e) {
            return; // nothing more can be done
        }
    }
}
