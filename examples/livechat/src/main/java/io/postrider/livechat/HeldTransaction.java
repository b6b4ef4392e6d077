package io.postrider.livechat;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.jackson.JacksonMapper;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session that writes an event and keeps its transaction open. Its own event waits for the commit; nothing else waits.
 * Only one is open at a time.
 */
final class HeldTransaction implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HeldTransaction.class);

    private final Postrider postrider;
    private final DataSource dataSource;
    private final JacksonMapper mapper;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Held held;

    HeldTransaction(Postrider postrider, DataSource dataSource, JacksonMapper mapper) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.mapper = mapper;
    }

    /** Since when a transaction is held, and until when; also the payload of the event that it writes. */
    record Held(Instant since, Instant until) {}

    /** Null if no transaction is held. */
    @Nullable
    Held held() {
        return held;
    }

    /** Opens a transaction, unless one is open. */
    synchronized Held open(String project, String user, Duration length) {
        Held open = held;
        if (open != null) {
            return open;
        }
        Instant now = Instant.now();
        Held begun = new Held(now, now.plus(length));
        held = begun;
        Thread thread = new Thread(() -> hold(project, user, begun), "livechat-held-transaction");
        thread.setDaemon(true);
        thread.start();
        return begun;
    }

    private void hold(String project, String user, Held begun) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            postrider.emit(
                    connection,
                    Event.of(LiveChat.TOPIC, LiveChat.HELD, mapper.write(begun))
                            .withProject(project)
                            .withUser(user));
            long left = Duration.between(Instant.now(), begun.until()).toMillis();
            if (closed.await(left, TimeUnit.MILLISECONDS)) {
                connection.rollback();
            } else {
                connection.commit();
            }
        } catch (SQLException e) {
            log.warn("held_transaction_ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            held = null;
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
