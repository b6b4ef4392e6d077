package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.admin.Queues;
import org.jspecify.annotations.Nullable;

/** The messages that are accepted and not saved yet: in the queue, and in the stream before it. */
record IngestQueue(Postrider postrider, Ingestion ingestion) {
    /** A queue in four numbers. */
    record Line(long waiting, long running, long later, long dead) {}

    Line line() {
        return postrider.queues().list().stream()
                .filter(queue -> queue.name().equals(LiveChat.INGEST))
                .findFirst()
                .map(IngestQueue::line)
                .orElse(new Line(0, 0, 0, 0));
    }

    private static Line line(Queues.Status queue) {
        return new Line(queue.depth(), queue.running(), queue.scheduled(), queue.deadLetters());
    }

    /** How many messages are accepted and not saved yet. */
    long waiting() {
        Line line = line();
        return line.waiting() + line.running() + line.later() + inStream(ingestion.ahead());
    }

    private static long inStream(Ingestion.@Nullable Ahead ahead) {
        Long waiting = ahead == null ? null : ahead.waiting();
        return waiting == null ? 0 : waiting;
    }
}
