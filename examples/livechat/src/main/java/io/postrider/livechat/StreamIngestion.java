package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.work.Queues;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Through a stream first, such as Redis': that keeps the message, as durably as it is set up to, and somebody moves it from there
 * into the queue. Until it is saved it is in the one or in the other; which, a receipt of the stream does not tell.
 */
final class StreamIngestion implements Ingestion {
    private final Postrider postrider;
    private final IngestJobs jobs;
    private final String name;
    private final BinaryOperator<String> add;
    private final LongSupplier waiting;

    /**
     * @param name whose stream it is
     * @param add keeps (id, JSON), and gives a receipt
     * @param waiting how much is in the stream
     */
    StreamIngestion(
            Postrider postrider, IngestJobs jobs, String name, BinaryOperator<String> add, LongSupplier waiting) {
        this.postrider = postrider;
        this.jobs = jobs;
        this.name = name;
        this.add = add;
        this.waiting = waiting;
    }

    @Override
    public List<String> accept(List<NewMessage> messages) {
        return messages.stream()
                .map(message -> ask(() -> add.apply(IngestJobs.idOf(message), jobs.json(message))))
                .toList();
    }

    /** The stream first: what has left it is committed in the queue; whether it has a position there or not, it counts. */
    @Override
    public boolean holds(String receipt) {
        if (ask(waiting::getAsLong) > 0) {
            return true;
        }
        postrider.jobs().sequence();
        return postrider.queues().list().stream().anyMatch(StreamIngestion::isBusy);
    }

    private static boolean isBusy(Queues.Status queue) {
        return queue.name().equals(LiveChat.INGEST) && queue.depth() + queue.running() + queue.scheduled() > 0;
    }

    @Override
    public Ahead ahead() {
        try {
            return new Ahead(name, ask(waiting::getAsLong));
        } catch (Refusal e) {
            return new Ahead(name, null);
        }
    }

    /** Whatever a stream throws that does not answer: only a message that it refuses as such is the asker's fault. */
    private <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            if (e instanceof PostriderException ours && ours.kind() == PostriderException.Kind.REFUSED) {
                throw ours;
            }
            throw Refusal.notNow(name + " does not answer: no message is taken until it does.", e);
        }
    }
}
