package io.postrider.proof.faults;

import io.postrider.Handler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * A node in a separate process, to be killed: {@code NodeMain <jdbc url> <topic> <name> [<millis in the handler>]}. Prints
 * "ready" when it is started.
 */
public final class NodeMain {
    private NodeMain() {}

    public static void main(String[] args) throws InterruptedException {
        String url = args[0];
        String topic = args[1];
        String name = args[2];
        Duration pause = Duration.ofMillis(args.length > 3 ? Long.parseLong(args[3]) : 0);
        // An external service would not wait for this disk either.
        DataSource outside = Node.pool(url + "&options=-c%20synchronous_commit=off", 1);
        Node.start(
                url,
                name,
                options -> options,
                List.of(Traces.effect(topic, name, linger(pause)), Traces.sent(topic, name, outside)));
        System.out.println("ready");
        new CountDownLatch(1).await(); // until it is killed
    }

    /** Keeps the transaction open for a while, so that a freeze hits it. */
    private static Handler.Transactional linger(Duration pause) {
        return (connection, event) -> {
            if (!pause.isZero()) {
                LockSupport.parkNanos(pause.toNanos());
            }
        };
    }
}
