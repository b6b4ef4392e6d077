package io.postrider.gateway;

import io.postrider.LogEvent;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The hub's end of a feed. A feed that is quicker than the hub waits here, so that what waits in memory is bounded. */
final class Intake implements Feed.Receiver {
    private static final int AT_ONCE = 4;

    private final Hub hub;
    private final Desk desk;
    private final Semaphore room = new Semaphore(AT_ONCE);

    Intake(Hub hub, Desk desk) {
        this.hub = hub;
        this.desk = desk;
    }

    @Override
    public void begins(long position, List<LogEvent> recent) throws InterruptedException {
        hand(() -> desk.begins(position, recent));
    }

    @Override
    public void events(List<LogEvent> events) throws InterruptedException {
        hand(() -> desk.events(events));
    }

    @Override
    public void changed(long head) throws InterruptedException {
        hand(() -> desk.changed(head));
    }

    private void hand(Runnable command) throws InterruptedException {
        while (!room.tryAcquire(100, TimeUnit.MILLISECONDS)) {
            if (hub.isClosing()) {
                return;
            }
        }
        hub.tell(() -> {
            try {
                command.run();
            } finally {
                room.release();
            }
        });
    }
}
