package io.postrider.server.http;

import io.postrider.gateway.jakarta.AnswerWriter;
import io.postrider.gateway.jakarta.SocketServlet;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Sends small answers without holding a worker thread while the client does not read: whatever a filter, a servlet or the container
 * has left in the response's buffer (8 KiB). Tomcat would write it with a thread that waits up to 10 s, and a client that sends
 * requests without reading fills the socket's buffer with answers of any size. A servlet must not set {@code Content-Length} for
 * this: when as many bytes are written, Tomcat sends them at once.
 *
 * <p>Tomcat writes the answer to a malformed request, the switch to WebSocket and {@code 100 Continue} with a thread that waits. Up
 * to 16 threads at a time may do each of these, for a tenth of a second; further connections are closed without an answer. These
 * answers are so small that only clients that have not read earlier answers make a thread wait at all.
 */
public final class AnswerValve extends ValveBase {
    private static final int MOST_BLOCKING = 16;
    private static final long BLOCKED_MILLIS = 100;
    private static final byte[] NOTHING_MORE = {};

    private final AnswerWriter answers;
    private final Semaphore malformed = new Semaphore(MOST_BLOCKING);
    private final Semaphore switching = new Semaphore(MOST_BLOCKING);
    private final Semaphore continuing = new Semaphore(MOST_BLOCKING);

    /** Sends answers by this writer. */
    public AnswerValve(AnswerWriter answers) {
        super(true);
        this.answers = answers;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        if (request.getHeader("Expect") != null) {
            BodyReader.onBegin(request, () -> blocking(continuing, response, AnswerValve::sendContinue));
        }
        getNext().invoke(request, response);
        if (request.isAsync() || response.isCommitted()) {
            return; // a stream, a body that is being read, a large answer, or one that a servlet has sent itself
        }
        if (response.getStatus() == 101) {
            switchProtocols(request, response);
        } else if (mustBlock(request, response)) {
            blocking(malformed, response, Response::finishResponse);
        } else {
            setLength(request, response);
            answers.write(request.getRequest(), response.getResponse(), NOTHING_MORE, () -> {});
        }
    }

    /** If the answer is not sent, no WebSocket is opened, and the gateway would wait for one. */
    private void switchProtocols(Request request, Response response) throws IOException {
        AtomicBoolean isSent = new AtomicBoolean();
        try {
            blocking(switching, response, Response::finishResponse);
            response.getCoyoteResponse().action(ActionCode.IS_IO_ALLOWED, isSent); // finishing throws nothing
        } finally {
            if (!isSent.get() && request.getAttribute(SocketServlet.LEAVE) instanceof Runnable leave) {
                leave.run();
            }
        }
    }

    /** Without a length, Tomcat would send chunks. */
    private static void setLength(Request request, Response response) {
        long written = response.getContentWritten();
        boolean mayBeEmpty = response.getStatus() != 204
                && response.getStatus() != 304
                && !request.getMethod().equals("HEAD");
        if (response.getCoyoteResponse().getContentLengthLong() < 0 && (written > 0 || mayBeEmpty)) {
            response.setContentLengthLong(written);
        }
    }

    /** Asynchronous processing is not possible, or Tomcat would end it with an error. */
    private static boolean mustBlock(Request request, Response response) throws IOException {
        AtomicBoolean isBroken = new AtomicBoolean();
        response.getCoyoteResponse().action(ActionCode.IS_ERROR, isBroken);
        return isBroken.get()
                || request.getContext() == null
                || isText(response)
                || !request.isAsyncSupported()
                || request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
    }

    /** A writer may hold characters that are not encoded yet, so the length is not known. */
    private static boolean isText(Response response) throws IOException {
        try {
            response.getOutputStream();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static void sendContinue(Response response) {
        response.sendAcknowledgement(ContinueResponseTiming.ALWAYS);
    }

    @FunctionalInterface
    private interface Write {
        void to(Response response) throws IOException;
    }

    private static void blocking(Semaphore places, Response response, Write write) throws IOException {
        if (!places.tryAcquire()) {
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            return;
        }
        SocketWrapperBase<?> socket = CurrentSocket.get();
        long timeout = socket == null ? 0 : socket.getWriteTimeout();
        try {
            if (socket != null) {
                socket.setWriteTimeout(BLOCKED_MILLIS);
            }
            write.to(response);
        } finally {
            if (socket != null) {
                socket.setWriteTimeout(timeout);
            }
            places.release();
        }
    }
}
