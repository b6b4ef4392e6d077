package io.postrider.kafka;

import io.postrider.LogEvent;
import io.postrider.SendResult;
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
 * A batch of events that is sent through one producer, all at once and in order, and its outcome.
 *
 * <p>When a record fails at the brokers, the producer is closed within that callback. Otherwise it would continue with the
 * records behind it: a batch that has timed out is dropped, the sequence numbers of its partition restart, and the next batch of
 * the same key overtakes it. Only one batch per partition is in flight, so after an immediate close the next one is never sent.
 *
 * <p>The client times out records only while it can send. While it waits for its producer id, which a broker that has just gone
 * down does not assign, it keeps them: a flush was seen to last as long as the broker was down. So there is a timeout here as
 * well, after which the producer is closed.
 */
final class Sending {
    private static final int NONE = Integer.MAX_VALUE;

    private final Producer<byte @Nullable [], byte[]> producer;
    private final Duration longest;
    private final Thread sender = Thread.currentThread();

    // Also written by the producer's thread.
    private int first = NONE;
    private int firstRefused = NONE;
    private boolean refusedByBroker;
    private boolean closing;
    private boolean broken;
    private @Nullable Exception cause;
    private @Nullable Exception refusal;

    /** @param longest longer than the client's own delivery timeout */
    Sending(Producer<byte @Nullable [], byte[]> producer, Duration longest) {
        this.producer = producer;
        this.longest = longest;
    }

    /** Whether it is unknown which records the producer has delivered or will deliver. */
    synchronized boolean isProducerBroken() {
        return broken;
    }

    /**
     * Returns the receipt when nothing is in flight any more.
     *
     * @throws Exception the refusal of one event, if others before it were in the same batch and refused with it: they may be
     *     valid, so the refused event must be searched for
     */
    SendResult send(Records records, List<LogEvent> events) throws Exception {
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
        } catch (RuntimeException e) { // usually: a callback, ours or another lane's, has closed the producer
            closeNow(producer);
            broke(next, e);
        }
        return receipt();
    }

    private void flush() {
        CompletableFuture<Object> flushed = new CompletableFuture<>();
        flushed.orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS).exceptionallyAsync(late -> {
            closeNow(producer); // fails the remaining records, which ends the flush
            return late;
        });
        try {
            producer.flush();
        } finally {
            flushed.complete(this);
        }
    }

    /**
     * Returns when the producer's thread has ended: every callback was called, and nothing more is sent by this process through
     * it.
     */
    static void closeNow(Producer<?, ?> producer) {
        boolean interrupted = Thread.interrupted(); // otherwise close() would throw instead of closing
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
            failed(index, new InvalidRecordException("the event cannot be converted to a Kafka record", e));
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

    /**
     * The outcome of the records in flight is unknown: none counts as delivered, and those that arrived are found in the topic
     * later.
     */
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

    private synchronized SendResult receipt() throws Exception {
        if (cause == null) {
            return SendResult.whole();
        }
        if (refusal != null && first == firstRefused) {
            return SendResult.refused(first, refusal);
        }
        if (refusal != null && refusedByBroker) {
            throw refusal;
        }
        return SendResult.unavailable(first, cause);
    }

    /**
     * Whether the record itself is the cause, so that it would be refused again. All other errors are due to the brokers or the
     * network.
     */
    private static boolean isRefusal(Exception error) {
        return error instanceof RecordTooLargeException
                || error instanceof RecordBatchTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
    }
}
