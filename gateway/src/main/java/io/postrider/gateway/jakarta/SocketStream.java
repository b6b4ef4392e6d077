package io.postrider.gateway.jakarta;

import io.postrider.gateway.ClientFrame;
import io.postrider.gateway.Cut;
import io.postrider.gateway.Frame;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.Subscriber;
import io.postrider.gateway.Transport;
import jakarta.websocket.CloseReason;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.SendResult;
import jakarta.websocket.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket.
 *
 * <pre>
 * WAITING  open, and has not said hello. Leaves by a hello that is taken; one that is refused, or none in time, ends it.
 * JOINED   frames are sent, one in flight at a time: the next one is taken when the socket has taken the last. From the client
 *          comes a new token now and then, and nothing else: that is refused.
 * REFUSED  the error is sent, or the cut; nothing is read any more.
 * DONE     after the cut frame, an error, or because the other side left.
 * </pre>
 */
final class SocketStream implements Transport {
    /** Tomcat's, for pongs and the close frame, which it sends with a worker that waits: its default is 20 s. */
    private static final String BLOCKING_SEND_TIMEOUT = "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";

    /** Tomcat's, for the client's answer to a close frame: its default of 30 s is for how long a refused client kept its connection. */
    private static final String SESSION_CLOSE_TIMEOUT = "org.apache.tomcat.websocket.SESSION_CLOSE_TIMEOUT";

    private static final long CLOSE_MILLIS = 1_000;

    /** At 1 s, 800 anonymous clients that sent pings and read no pongs held 187 of 200 workers. */
    private static final long BLOCKED_MILLIS = 20;

    /** A stream of a slow client may be sending when it pings. */
    private static final long BLOCKED_AFTER_HELLO_MILLIS = 100;

    /** So many frames a client may send in a minute: a new token is needed every few minutes. */
    private static final int MOST_FRAMES = 20;

    /** Tomcat allocates its buffers as large as a message may be: 32 KiB for 16,384 characters. So we get messages in pieces. */
    private static final int PIECE = 1024;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Gateway gateway;
    private final Gateway.Visit visit;
    private final Session session;
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicBoolean refused = new AtomicBoolean();
    private volatile @Nullable Subscriber subscriber;
    private volatile boolean sending;

    // Of the container's thread that reads: one at a time.
    private final StringBuilder message = new StringBuilder(0);
    private int received;
    private long minuteBegan = System.nanoTime();

    SocketStream(Gateway gateway, Gateway.Visit visit, Session session) {
        this.gateway = gateway;
        this.visit = visit;
        this.session = session;
    }

    void open() {
        session.getUserProperties().put(BLOCKING_SEND_TIMEOUT, BLOCKED_MILLIS);
        session.getUserProperties().put(SESSION_CLOSE_TIMEOUT, CLOSE_MILLIS);
        session.setMaxTextMessageBufferSize(PIECE);
        session.setMaxBinaryMessageBufferSize(PIECE);
        session.setMaxIdleTimeout(0); // a stream is idle on the client's side; heartbeats tell whether it is there
        session.getAsyncRemote().setSendTimeout(gateway.options().sendTimeout().toMillis());
        session.addMessageHandler(String.class, (MessageHandler.Partial<String>) this::received);
        session.addMessageHandler(ByteBuffer.class, (MessageHandler.Partial<ByteBuffer>) this::receivedBinary);
        gateway.after(gateway.options().helloTimeout(), this::refuseIfSilent);
        visit.awaitHello(() -> gateway.after(Duration.ZERO, this::makeRoom));
    }

    private void makeRoom() {
        if (subscriber == null) {
            refuse(Refusal.of(
                    Refusal.Why.UNAVAILABLE, "too many connections are waiting to say hello; try again in a moment"));
        }
    }

    private void refuseIfSilent() {
        if (subscriber == null) {
            refuse(Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "no hello within " + gateway.options().helloTimeout().toMillis() + " ms"));
        }
    }

    // ── what the client sends ───────────────────────────────────────────────────────────────────────────────────────

    private void received(String piece, boolean isLast) {
        if (done.get() || refused.get()) {
            return;
        }
        int most = gateway.options().helloBytes();
        if (message.length() + piece.length() > most) {
            refused.set(true);
            clearMessage();
            close(CloseReason.CloseCodes.TOO_BIG.getCode(), "a message may have " + most + " characters");
            return;
        }
        message.append(piece);
        if (isLast) {
            String text = message.toString();
            clearMessage();
            received(text);
        }
    }

    private void clearMessage() {
        message.setLength(0);
        message.trimToSize();
    }

    private void received(String text) {
        if (isFlood()) {
            return;
        }
        try {
            ClientFrame frame = ClientFrame.read(text);
            if (subscriber == null) {
                hello(frame);
            } else {
                visit.renew(frame.renewal());
            }
        } catch (Refusal refusal) {
            refuse(refusal);
        }
    }

    private void receivedBinary(ByteBuffer bytes, boolean isLast) {
        refuse(Refusal.of(Refusal.Why.BAD_REQUEST, "frames are text"));
    }

    private boolean isFlood() {
        long now = System.nanoTime();
        if (now - minuteBegan > MINUTE_NANOS) {
            minuteBegan = now;
            received = 0;
        }
        Subscriber joined = subscriber;
        if (++received <= MOST_FRAMES) {
            return false;
        }
        if (joined != null) {
            joined.cut(Cut.FLOOD);
        }
        return true;
    }

    private void hello(ClientFrame frame) {
        visit.admit(frame.hello());
        session.getUserProperties().put(BLOCKING_SEND_TIMEOUT, BLOCKED_AFTER_HELLO_MILLIS);
        Subscriber joined = visit.join(this);
        subscriber = joined;
        joined.writable(); // what came before we knew it
    }

    // ── what is sent ────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Form form() {
        return Form.WEBSOCKET;
    }

    @Override
    public void flush() {
        Subscriber joined = subscriber;
        while (joined != null && !sending && !done.get()) {
            Frame frame = joined.next();
            if (frame == null) {
                return;
            }
            sending = true;
            try {
                session.getAsyncRemote().sendText(frame.text(), result -> sent(joined, frame, result));
            } catch (RuntimeException e) {
                abort(); // closed meanwhile
            }
        }
    }

    private void sent(Subscriber joined, Frame frame, SendResult result) {
        if (!result.isOK()) {
            abort();
            return;
        }
        Cut last = frame.last();
        if (last == null) {
            sending = false;
            joined.writable();
        } else {
            close(last.closeCode(), last.word());
        }
    }

    /** Before the stream has begun, or instead of it: says why, then closes. The code is 4000 + the HTTP status. */
    private void refuse(Refusal refusal) {
        if (done.get() || !refused.compareAndSet(false, true)) {
            return;
        }
        gateway.refused(refusal.status());
        Subscriber joined = subscriber;
        if (joined != null) {
            joined.cut(Cut.REFUSED);
            return;
        }
        String problem = refusal.problem();
        String text = "{\"type\":\"error\"," + problem.substring(problem.indexOf("\"title\""));
        try {
            session.getAsyncRemote().sendText(text, result -> close(4000 + refusal.status(), "refused"));
        } catch (RuntimeException e) {
            abort();
        }
    }

    @Override
    public void abort() {
        close(CloseReason.CloseCodes.GOING_AWAY.getCode(), "");
    }

    private void close(int code, String reason) {
        if (done.compareAndSet(false, true)) {
            try {
                session.close(new CloseReason(CloseReason.CloseCodes.getCloseCode(code), reason));
            } catch (IOException | RuntimeException e) {
                // closed meanwhile
            }
            visit.leave();
        }
    }
}
