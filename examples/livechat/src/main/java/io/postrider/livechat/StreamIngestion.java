package io.postrider.livechat;

import io.postrider.Postrider;
import io.postrider.PostriderException;
import io.postrider.admin.Queues;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Uses a stream first, such as Redis. The stream keeps the message, as durably as it is configured, and another process moves it
 * into the queue. Until it is saved it is in one of the two; a receipt of the stream does not tell which.
 */
final class StreamIngestion implements Ingestion {
    private final Postrider postrider;
    private final IngestJobs jobs;
    private final String name;
    private final BinaryOperator<String> add;
    private final LongSupplier waiting;

    /**
     * @param name the stream's server
     * @param add stores (id, JSON) and returns a receipt
     * @param waiting the number of messages in the stream
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

    /** Checks the stream first: a message that has left it is committed in the queue, and counts even without a position. */
    @Override
    public Set<String> held(Collection<String> receipts) {
        return isAnyWaiting() ? Set.copyOf(receipts) : Set.of();
    }

    private boolean isAnyWaiting() {
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

    /** Any exception means that the stream is unavailable, except a message that it refuses: that is the caller's fault. */
    private <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            if (e instanceof PostriderException ours && ours.kind() == PostriderException.Kind.REFUSED) {
                throw ours;
            }
            throw Refusal.notNow(name + " does not answer: no message is accepted until it does.", e);
        }
    }
}
