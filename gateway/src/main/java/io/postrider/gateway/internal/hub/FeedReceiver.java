package io.postrider.gateway.internal.hub;

import io.postrider.LogEvent;
import io.postrider.gateway.Feed;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Passes the events of a feed to the hub thread. A feed that is faster than the hub blocks here, which bounds the memory. */
final class FeedReceiver implements Feed.Receiver {
    private static final int AT_ONCE = 4;

    private final HubCore hub;
    private final TopicRooms topicRooms;
    private final Semaphore room = new Semaphore(AT_ONCE);

    FeedReceiver(HubCore hub, TopicRooms topicRooms) {
        this.hub = hub;
        this.topicRooms = topicRooms;
    }

    @Override
    public void begins(long position, List<LogEvent> recent) throws InterruptedException {
        hand(() -> topicRooms.begins(position, recent));
    }

    @Override
    public void events(List<LogEvent> events) throws InterruptedException {
        hand(() -> topicRooms.events(events));
    }

    @Override
    public void changed(long head) throws InterruptedException {
        hand(() -> topicRooms.changed(head));
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
