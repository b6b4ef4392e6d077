package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.work.Queues;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;

/**
 * Through a stream first, such as Redis': that keeps the message durably, and somebody moves it from there into the queue. Until it
 * is saved it is in the one or in the other; which, a receipt of the stream does not tell.
 */
final class StreamIngestion implements Ingestion {
    private final Postrider postrider;
    private final IngestJobs jobs;
    private final BinaryOperator<String> add;
    private final LongSupplier waiting;

    /**
     * @param add keeps (id, JSON) durably, and gives a receipt
     * @param waiting how much is in the stream
     */
    StreamIngestion(Postrider postrider, IngestJobs jobs, BinaryOperator<String> add, LongSupplier waiting) {
        this.postrider = postrider;
        this.jobs = jobs;
        this.add = add;
        this.waiting = waiting;
    }

    @Override
    public List<String> accept(List<NewMessage> messages) {
        return messages.stream()
                .map(message -> add.apply(IngestJobs.idOf(message), jobs.json(message)))
                .toList();
    }

    /** The stream first: what has left it is committed in the queue; whether it has a position there or not, it counts. */
    @Override
    public boolean holds(String receipt) {
        if (waiting.getAsLong() > 0) {
            return true;
        }
        postrider.jobs().sequence();
        return postrider.queues().list().stream().anyMatch(StreamIngestion::isBusy);
    }

    private static boolean isBusy(Queues.Status queue) {
        return queue.name().equals(LiveChat.INGEST) && queue.depth() + queue.running() + queue.scheduled() > 0;
    }
}
