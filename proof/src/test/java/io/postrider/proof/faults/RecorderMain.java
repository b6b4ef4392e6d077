package io.postrider.proof.faults;

import io.postrider.Postrider;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A node in a process of its own that records a topic, to be killed: {@code RecorderMain <jdbc url> <topic> <name>}. */
public final class RecorderMain {
    private RecorderMain() {}

    public static void main(String[] args) throws InterruptedException {
        Postrider recording = Postrider.on(Node.pool(args[0], 2));
        Node.start(
                args[0],
                args[2],
                options -> options,
                List.of(recording.eventLog().listener(args[1]).withBatch(100)));
        System.out.println("ready");
        new CountDownLatch(1).await(); // until it is killed
    }
}
