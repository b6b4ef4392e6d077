package io.postrider.kafka;

import io.postrider.LogEvent;
import io.postrider.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;

/**
 * Some events on their way through one producer, all at once and in order, and what became of them.
 *
 * <p>When a record fails at the brokers, the producer is closed in that very callback. It would go on with the records behind
 * it otherwise: a batch that has run out of time is dropped, its partition's numbering begins anew, and the next batch of the
 * same key gets in before it. One batch of a partition is under way at a time; closed at once, the next one never leaves.
 *
 * <p>Records run out of time in the client only while it may send. As long as it waits for its number as a producer, which a
 * broker that has just gone does not give, it keeps them: a flush was seen to last for as long as the broker was away. So the
 * time has an end here as well, and the producer is closed then.
 */
final class Sending {
    private static final int NONE = Integer.MAX_VALUE;

    private final Producer<byte @Nullable [], byte[]> producer;
    private final Duration longest;
    private final Thread sender = Thread.currentThread();

    // Written by the producer's thread too.
    private int first = NONE;
    private int firstRefused = NONE;
    private boolean refusedByBroker;
    private boolean closing;
    private boolean broken;
    private @Nullable Exception cause;
    private @Nullable Exception refusal;

    /** @param longest more than the client itself gives a record */
    Sending(Producer<byte @Nullable [], byte[]> producer, Duration longest) {
        this.producer = producer;
        this.longest = longest;
    }

    /** Whether it is not known any more what the producer has brought in, or will. */
    synchronized boolean isProducerBroken() {
        return broken;
    }

    /**
     * Gives the receipt when nothing is under way any more.
     *
     * @throws Exception the refusal of one event, if others before it were in the same batch and refused with it: nothing is
     *     known against them, so it must be sought
     */
    Receipt send(Records records, List<LogEvent> events) throws Exception {
        int next = 0;
        try {
            while (next < events.size() && !hasFailed()) {
                send(next, records, events.get(next));
                next++;
            }
            flush();
        } catch (InterruptException e) {
            closeNow(producer);
            interrupted(e);
        } catch (RuntimeException e) { // most of all: a callback, ours or another lane's, has closed the producer
            closeNow(producer);
            broke(next, e);
        }
        return receipt();
    }

    private void flush() {
        CompletableFuture<Object> flushed = new CompletableFuture<>();
        flushed.orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS).exceptionallyAsync(late -> {
            closeNow(producer); // which fails what it still has, and with that ends the flush
            return late;
        });
        try {
            producer.flush();
        } finally {
            flushed.complete(this);
        }
    }

    /** Returns when the producer's thread has ended: every callback was called, and nothing more leaves this process by it. */
    static void closeNow(Producer<?, ?> producer) {
        boolean interrupted = Thread.interrupted(); // it would be told of that instead of being closed
        try {
            producer.close(Duration.ZERO);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void send(int index, Records records, LogEvent event) {
        ProducerRecord<byte @Nullable [], byte[]> record;
        try {
            record = records.of(event);
        } catch (RuntimeException e) {
            failed(index, new InvalidRecordException("the event cannot be made a record", e));
            return;
        }
        Future<RecordMetadata> unused = producer.send(record, (metadata, error) -> {
            if (error != null) {
                failed(index, error);
            }
        });
    }

    private synchronized boolean hasFailed() {
        return first != NONE;
    }

    private void failed(int index, Exception error) {
        boolean atBroker = Thread.currentThread() != sender;
        boolean close;
        synchronized (this) {
            note(index, error, atBroker);
            close = atBroker && !closing;
            closing |= atBroker;
            broken |= atBroker || !isRefusal(error);
        }
        if (close) {
            producer.close(Duration.ZERO);
        }
    }

    private void note(int index, Exception error, boolean atBroker) {
        first = Math.min(first, index);
        if (cause == null) {
            cause = error;
        }
        if (isRefusal(error) && index < firstRefused) {
            firstRefused = index;
            refusal = error;
            refusedByBroker = atBroker;
        }
    }

    /** Nothing was heard of what is under way: none is counted as safe, and what is there will be found there. */
    private synchronized void interrupted(InterruptException error) {
        first = 0;
        cause = error;
        refusal = null;
        broken = true;
    }

    private synchronized void broke(int index, RuntimeException error) {
        note(index, error, false);
        broken = true;
    }

    private synchronized Receipt receipt() throws Exception {
        if (cause == null) {
            return Receipt.whole();
        }
        if (refusal != null && first == firstRefused) {
            return Receipt.refused(first, refusal);
        }
        if (refusal != null && refusedByBroker) {
            throw refusal;
        }
        return Receipt.unavailable(first, cause);
    }

    /** Whether it is about the record, so that it will be refused again. All else is the brokers' or the way's fault. */
    private static boolean isRefusal(Exception error) {
        return error instanceof RecordTooLargeException
                || error instanceof RecordBatchTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
    }
}
