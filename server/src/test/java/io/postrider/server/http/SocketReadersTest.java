package io.postrider.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.apache.coyote.UpgradeToken;
import org.apache.coyote.http11.upgrade.UpgradeProcessorInternal;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.apache.tomcat.websocket.server.WsHttpUpgradeHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** WebSockets with data get a limited number of workers, in order. */
@Tag("security")
class SocketReadersTest {
    private static final int MOST = 2;

    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final BlockingQueue<SocketWrapperBase<NioChannel>> read = new LinkedBlockingQueue<>();
    private final Semaphore data = new Semaphore(0);
    private final SocketReaders readers = new SocketReaders(new Reads(), () -> MOST, this::dispatch);

    /** Each read ends when the test says so. */
    private final class Reads implements Handler<NioChannel> {
        @Override
        public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
            read.add(socket);
            data.acquireUninterruptibly();
            return SocketState.UPGRADED;
        }

        @Override
        public Object getGlobal() {
            return this;
        }

        @Override
        public void release(SocketWrapperBase<NioChannel> socket) {}

        @Override
        public void pause() {}

        @Override
        public void recycle() {}
    }

    private boolean dispatch(SocketWrapperBase<NioChannel> socket) {
        workers.execute(() -> readers.process(socket, SocketEvent.OPEN_READ));
        return true;
    }

    private static NioSocketWrapper connection() {
        return new NioSocketWrapper(new NioChannel(new SocketBufferHandler(64, 64, false)), new NioEndpoint());
    }

    private static NioSocketWrapper webSocket() {
        NioSocketWrapper socket = connection();
        UpgradeToken token = new UpgradeToken(new WsHttpUpgradeHandler(), null, null, "websocket");
        socket.setCurrentProcessor(new UpgradeProcessorInternal(socket, token, null));
        return socket;
    }

    @AfterEach
    void end() {
        data.release(1_000);
        workers.shutdown();
    }

    @Test
    void further_ones_wait_without_a_worker_and_come_in_order() {
        List<SocketWrapperBase<NioChannel>> sockets = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            sockets.add(webSocket());
            dispatch(sockets.get(i));
            int now = i + 1;
            Await.until("it is read", () -> read.size() == now);
        }
        for (int i = MOST; i < 5; i++) {
            sockets.add(webSocket());
            readers.process(sockets.get(i), SocketEvent.OPEN_READ); // would wait here if it were read
        }
        for (int i = MOST; i < 5; i++) {
            assertThat(read).hasSize(i);
            data.release();
            int now = i + 1;
            Await.until("the next is read", () -> read.size() == now);
        }
        assertThat(read).containsExactlyElementsOf(sockets);
    }

    @Test
    void one_that_is_closed_while_it_waits_is_forgotten() {
        List<SocketWrapperBase<NioChannel>> sockets = List.of(webSocket(), webSocket(), webSocket(), webSocket());
        sockets.subList(0, MOST).forEach(this::dispatch);
        Await.until("two are read", () -> read.size() == MOST);
        sockets.subList(MOST, 4).forEach(socket -> readers.process(socket, SocketEvent.OPEN_READ));
        readers.release(sockets.get(2));
        data.release(2);
        Await.until("the last is read", () -> read.contains(sockets.get(3)));
        assertThat(read).doesNotContain(sockets.get(2));
    }

    @Test
    void http_requests_do_not_wait() {
        List.of(webSocket(), webSocket()).forEach(this::dispatch);
        Await.until("two are read", () -> read.size() == MOST);
        NioSocketWrapper request = connection();
        dispatch(request);
        Await.until("the request is read", () -> read.contains(request));
    }
}
