package io.postrider.internal.shadow;

import io.postrider.PostriderException;
import io.postrider.PublishedMessage;
import io.postrider.PublishedQuery;
import io.postrider.Sink;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Sql;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what other publishers have written to the sink of a relay, on the node that has the connection to it, and leaves ids and
 * hashes in the database for the caller that compares. Runs on a thread of its own, so that the relay goes on meanwhile.
 */
public final class SinkReading {
    private static final Logger log = LoggerFactory.getLogger(SinkReading.class);
    private static final Sql BEGIN = Sql.file("shadow/begin_reading");
    private static final Sql ADD = Sql.file("shadow/add_seen");
    private static final Sql END = Sql.file("shadow/end_reading");
    private static final int AT_ONCE = 1_000;

    /** The maximum number of messages that are read. */
    static final int MOST = 1_000_000;

    private final Database database;
    private final String relay;
    private final Sink sink;
    private final Executor threads;

    public SinkReading(Database database, String relay, Sink sink, Executor threads) {
        this.database = database;
        this.relay = relay;
        this.sink = sink;
        this.threads = threads;
    }

    private record Request(long id, PublishedQuery query, MessagePlaces places) {}

    /** Follows the requests that are open. Does not wait. */
    public void begin() {
        try {
            threads.execute(this::followAll);
        } catch (RejectedExecutionException e) {
            log.debug("no reading for relay {}: the node is closing", relay);
        }
    }

    private void followAll() {
        try {
            Optional<Request> next = next();
            while (next.isPresent()) {
                follow(next.get());
                next = next();
            }
        } catch (PostriderException e) {
            log.warn("shadow_reading_failed relay={} error=\"{}\"", relay, e.getMessage());
        }
    }

    private Optional<Request> next() {
        return database.transaction(session -> session.one(
                BEGIN,
                bind -> bind.text("listener", relay),
                row -> new Request(
                        row.int8("id"),
                        new PublishedQuery(
                                row.textOrNull("place"),
                                row.instant("since"),
                                Duration.ofMillis(row.int8("for_millis")),
                                MOST),
                        new MessagePlaces(row.textOrNull("id_place"), row.textOrNull("payload_place")))));
    }

    private void follow(Request request) {
        Chunks chunks = new Chunks(request);
        @Nullable String error = null;
        boolean whole = false;
        try {
            whole = sink.readPublished(request.query(), chunks::add);
            chunks.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            error = "the node was stopped";
        } catch (UnsupportedOperationException e) {
            error = e.getMessage();
        } catch (Exception e) {
            error = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        log.info(
                "shadow_read relay={} sink=\"{}\" messages={} since={} error=\"{}\"",
                relay,
                sink.describe(),
                chunks.count,
                request.query().since(),
                error);
        end(request.id(), whole, error);
    }

    private void end(long reading, boolean whole, @Nullable String error) {
        database.transaction(session -> session.update(
                END, bind -> bind.int8("reading", reading).bool("whole", whole).text("error", error)));
    }

    /** Writes what is read in chunks. */
    private final class Chunks {
        private final Request request;
        private final List<Seen> chunk = new ArrayList<>();
        private int number;
        private int count;

        Chunks(Request request) {
            this.request = request;
        }

        void add(PublishedMessage message) {
            chunk.add(request.places().read(message));
            count++;
            if (chunk.size() == AT_ONCE) {
                flush();
            }
        }

        void flush() {
            if (chunk.isEmpty()) {
                return;
            }
            number++;
            database.transaction(session -> session.update(
                    ADD,
                    bind -> bind.int8("reading", request.id())
                            .int4("n", number)
                            .texts("lanes", chunk.stream().map(Seen::lane).toList())
                            .texts("ids", chunk.stream().map(Seen::id).toList())
                            .int8s("messages", chunk.stream().map(Seen::message).toList())
                            .int8s("payloads", chunk.stream().map(Seen::payload).toList())));
            chunk.clear();
        }
    }
}
