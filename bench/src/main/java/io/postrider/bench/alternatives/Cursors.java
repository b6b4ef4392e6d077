package io.postrider.bench.alternatives;

import io.postrider.bench.alternatives.PolledReader.Cursor;
import io.postrider.bench.alternatives.PolledReader.Row;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** The five known ways to move through an outbox table by polling. */
final class Cursors {
    /** How long the contiguous cursor waits for a missing id before it takes the gap for a rollback. */
    static final Duration GAP_TIMEOUT = Duration.ofSeconds(1);

    /** How old a row must be for the cursor with a safety margin. */
    static final Duration MARGIN = Duration.ofMillis(500);

    private Cursors() {}

    /** Rows with a greater id than the last. */
    static final class Plain implements Cursor {
        private long last;

        @Override
        public String query() {
            return "select id, null, event_id from outbox where id > ? order by id";
        }

        @Override
        public void bind(PreparedStatement select) throws SQLException {
            select.setLong(1, last);
        }

        @Override
        public boolean takes(Row row) {
            last = row.id();
            return true;
        }
    }

    /** Rows up to the first missing id. A gap that stays for {@link #GAP_TIMEOUT} is skipped. */
    static final class Contiguous implements Cursor {
        private long last;
        private long gapAfter = -1;
        private long gapSince;

        @Override
        public String query() {
            return "select id, null, event_id from outbox where id > ? order by id";
        }

        @Override
        public void bind(PreparedStatement select) throws SQLException {
            select.setLong(1, last);
        }

        @Override
        public boolean takes(Row row) {
            if (row.id() > last + 1 && !isSkipped()) {
                return false;
            }
            last = row.id();
            return true;
        }

        private boolean isSkipped() {
            long now = System.nanoTime();
            if (gapAfter != last) {
                gapAfter = last;
                gapSince = now;
            }
            return now - gapSince >= GAP_TIMEOUT.toNanos();
        }
    }

    /** Rows with a greater id than the last that are at least {@link #MARGIN} old. */
    static final class Delayed implements Cursor {
        private long last;

        @Override
        public String query() {
            return "select id, null, event_id from outbox where id > ?"
                    + " and created_at < clock_timestamp() - ? * interval '1 millisecond' order by id";
        }

        @Override
        public void bind(PreparedStatement select) throws SQLException {
            select.setLong(1, last);
            select.setLong(2, MARGIN.toMillis());
        }

        @Override
        public boolean takes(Row row) {
            last = row.id();
            return true;
        }
    }

    /**
     * Rows in the order of their commit timestamps, which need {@code track_commit_timestamp = on}. There is no index on a commit
     * timestamp, so a poll looks at the last 20,000 ids.
     */
    static final class CommitTimestamp implements Cursor {
        private static final int WINDOW = 20_000;

        private String last = "-infinity";
        private long lastId;
        private long highest;

        @Override
        public String query() {
            return "select id, pg_xact_commit_timestamp(xmin)::text, event_id from outbox where id > ?"
                    + " and (pg_xact_commit_timestamp(xmin), id) > (?::timestamptz, ?)"
                    + " order by pg_xact_commit_timestamp(xmin), id";
        }

        @Override
        public void bind(PreparedStatement select) throws SQLException {
            select.setLong(1, highest - WINDOW);
            select.setString(2, last);
            select.setLong(3, lastId);
        }

        @Override
        public boolean takes(Row row) {
            last = row.order();
            lastId = row.id();
            highest = Math.max(highest, row.id());
            return true;
        }
    }

    /** Rows of transactions that are older than every running one, in the order of transaction and id. */
    static final class HighWaterMark implements Cursor {
        private String last = "0";
        private long lastId;

        @Override
        public String query() {
            return "select id, tx::text, event_id from outbox where (tx, id) > (?::xid8, ?)"
                    + " and tx < pg_snapshot_xmin(pg_current_snapshot()) order by tx, id";
        }

        @Override
        public void bind(PreparedStatement select) throws SQLException {
            select.setString(1, last);
            select.setLong(2, lastId);
        }

        @Override
        public boolean takes(Row row) {
            last = row.order();
            lastId = row.id();
            return true;
        }
    }
}
