package io.postrider.gateway.jakarta;

import io.postrider.gateway.DisconnectReason;
import io.postrider.gateway.Frame;
import io.postrider.gateway.FrameSource;
import io.postrider.gateway.Gateway;
import io.postrider.gateway.GatewayOptions;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.Transport;
import io.postrider.gateway.internal.frames.ClientFrame;
import jakarta.websocket.CloseReason;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.PongMessage;
import jakarta.websocket.SendResult;
import jakarta.websocket.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket.
 *
 * <pre>
 * WAITING  open, without a hello so far. Ends with an accepted hello; a refused or missing hello closes the connection.
 * JOINED   frames are sent, one in flight at a time: the next one is taken when the socket has accepted the last. The client may
 *          send a new token now and then, and messages if the application accepts them; anything else is refused.
 * REFUSED  the error or the cut frame is sent; nothing more is read.
 * DONE     after the cut frame, an error, or because the client left.
 * </pre>
 */
final class SocketStream implements Transport {
    /** Tomcat's property for the write timeout of pongs and the close frame, which block a worker thread: the default is 20 s. */
    private static final String BLOCKING_SEND_TIMEOUT = "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";

    /**
     * Tomcat's property for the client's reply to a close frame: with its default of 30 s, a refused client kept its connection
     * for that long.
     */
    private static final String SESSION_CLOSE_TIMEOUT = "org.apache.tomcat.websocket.SESSION_CLOSE_TIMEOUT";

    private static final long CLOSE_MILLIS = 1_000;

    /** At 1 s, 800 anonymous clients that sent pings and read no pongs held 187 of 200 workers. */
    private static final long BLOCKED_MILLIS = 20;

    /** A stream of a slow client may be sending when it pings. */
    private static final long BLOCKED_AFTER_HELLO_MILLIS = 100;

    /** The maximum number of messages from a client in a minute: a new token is needed every few minutes. */
    private static final int MOST_MESSAGES = 20;

    /** The same for pongs and for pieces of messages, which are as small as the client or the network makes them. */
    private static final int MOST_PIECES = 1_000;

    /** Tomcat allocates its buffers as large as a message may be: 32 KiB for 16,384 characters. So we get messages in pieces. */
    private static final int PIECE = 1024;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Gateway gateway;
    private final Gateway.Visit visit;
    private final Session session;
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicBoolean refused = new AtomicBoolean();
    private volatile @Nullable FrameSource source;
    private volatile boolean sending;

    // Used only by the container's reading thread, one at a time.
    private MessageBuffer message;
    private int mostBytes;
    private int mostMessages = MOST_MESSAGES;
    private int mostPieces = MOST_PIECES;
    private int messages;
    private int pieces;
    private long minuteBegan = System.nanoTime();

    SocketStream(Gateway gateway, Gateway.Visit visit, Session session) {
        this.gateway = gateway;
        this.visit = visit;
        this.session = session;
        this.mostBytes = gateway.options().helloBytes();
        this.message = new MessageBuffer(mostBytes);
    }

    void open() {
        session.getUserProperties().put(BLOCKING_SEND_TIMEOUT, BLOCKED_MILLIS);
        session.getUserProperties().put(SESSION_CLOSE_TIMEOUT, CLOSE_MILLIS);
        session.setMaxTextMessageBufferSize(PIECE);
        session.setMaxBinaryMessageBufferSize(PIECE);
        session.setMaxIdleTimeout(0); // clients are mostly silent; heartbeats show whether they are alive
        session.getAsyncRemote().setSendTimeout(gateway.options().sendTimeout().toMillis());
        session.addMessageHandler(String.class, (MessageHandler.Partial<String>) this::received);
        session.addMessageHandler(ByteBuffer.class, (MessageHandler.Partial<ByteBuffer>) this::receivedBinary);
        session.addMessageHandler(PongMessage.class, (MessageHandler.Whole<PongMessage>) this::receivedPong);
        visit.awaitHello(this::makeRoom, this::refuseIfSilent);
    }

    private void makeRoom() {
        if (source == null) {
            refuse(Refusal.of(
                    Refusal.Why.UNAVAILABLE, "too many connections are waiting to say hello; try again in a moment"));
        }
    }

    private void refuseIfSilent() {
        if (source == null) {
            refuse(Refusal.of(
                    Refusal.Why.BAD_REQUEST,
                    "no hello within " + gateway.options().helloTimeout().toMillis() + " ms"));
        }
    }

    // ── incoming messages ───────────────────────────────────────────────────────────────────────────────────────────

    private void received(String piece, boolean isLast) {
        if (done.get() || refused.get() || tooManyPieces()) {
            return;
        }
        if (!message.add(piece)) {
            refused.set(true);
            message.clear();
            close(CloseReason.CloseCodes.TOO_BIG.getCode(), "a message may have " + mostBytes + " bytes");
            return;
        }
        if (isLast) {
            received(message.take());
        }
    }

    private void received(String text) {
        if (++messages > mostMessages) {
            endFlood();
            return;
        }
        try {
            ClientFrame frame = ClientFrame.read(text);
            if (source == null) {
                hello(frame);
            } else if (frame.isMessage()) {
                ClientFrame.Message sent = frame.message();
                visit.send(sent.id(), sent.data());
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

    /** Unsolicited, and ignored. */
    private void receivedPong(PongMessage pong) {
        boolean unused = tooManyPieces();
    }

    /** Counts one piece. Messages are counted in the same minute. */
    private boolean tooManyPieces() {
        long now = System.nanoTime();
        if (now - minuteBegan > MINUTE_NANOS) {
            minuteBegan = now;
            messages = 0;
            pieces = 0;
        }
        if (++pieces <= mostPieces) {
            return false;
        }
        endFlood();
        return true;
    }

    private void endFlood() {
        if (done.get() || !refused.compareAndSet(false, true)) {
            return;
        }
        message.clear();
        FrameSource joined = source;
        if (joined == null) {
            close(DisconnectReason.FLOOD.closeCode(), DisconnectReason.FLOOD.word());
        } else {
            joined.cut(DisconnectReason.FLOOD);
        }
    }

    private void hello(ClientFrame frame) {
        visit.admit(frame.hello());
        session.getUserProperties().put(BLOCKING_SEND_TIMEOUT, BLOCKED_AFTER_HELLO_MILLIS);
        FrameSource joined = visit.join(this);
        source = joined;
        joined.writable(); // for flush requests from before the field was set
        if (gateway.options().inbound() != null) {
            expectMessages(gateway.options());
        }
    }

    /** Twice what the limit of the application's messages lets through in a minute: a client that goes on sending is a flood. */
    private void expectMessages(GatewayOptions options) {
        mostBytes = Math.max(mostBytes, options.inboundBytes());
        message = new MessageBuffer(mostBytes);
        mostMessages = MOST_MESSAGES + 2 * (options.inboundAtOnce() + 60 * options.inboundPerSecond());
        mostPieces = MOST_PIECES + mostMessages * (1 + mostBytes / PIECE);
    }

    // ── outgoing frames ─────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public Form form() {
        return Form.WEBSOCKET;
    }

    @Override
    public void flush() {
        FrameSource joined = source;
        while (joined != null && !sending && !done.get()) {
            Frame frame = joined.next();
            if (frame == null) {
                return;
            }
            sending = true;
            try {
                session.getAsyncRemote().sendText(frame.text(), result -> sent(joined, frame, result));
            } catch (RuntimeException e) {
                abort(); // closed in the meantime
            }
        }
    }

    private void sent(FrameSource joined, Frame frame, SendResult result) {
        if (!result.isOK()) {
            abort();
            return;
        }
        DisconnectReason last = frame.last();
        if (last == null) {
            sending = false;
            joined.writable();
        } else {
            close(last.closeCode(), last.word());
        }
    }

    /** Refuses the stream before it starts: sends the reason, then closes. The close code is 4000 + the HTTP status. */
    private void refuse(Refusal refusal) {
        if (done.get() || !refused.compareAndSet(false, true)) {
            return;
        }
        gateway.refused(refusal.status());
        FrameSource joined = source;
        if (joined != null) {
            joined.cut(DisconnectReason.REFUSED);
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
                // closed in the meantime
            }
            visit.leave();
        }
    }
}
