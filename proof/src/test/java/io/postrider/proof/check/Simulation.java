package io.postrider.proof.check;

import io.postrider.proof.history.Snapshot;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A toy PostgreSQL with several writers and a sequencer, driven by chance from a seed: row locks with their counters,
 * snapshots, savepoints, rollbacks, commits whose answer got lost, passes at any moment.
 *
 * <p>It tells the recorder only what a real load generator could know.
 */
public final class Simulation {
    /** How a pass finds and orders the new events: the design's way, and ways that are known to be wrong. */
    enum Order {
        /** By the greatest id of the transaction in the topic, then by id. */
        BY_LAST_ID,
        /** By the transaction's xid: not causal, for a transaction may draw its xid long before it emits. */
        BY_XID,
        /** By id alone: tears transactions that overlap. */
        BY_ID,
        /** By id, and only ids above the last one: loses whatever commits after a greater id has. */
        ABOVE_LAST_ID
    }

    private static final String[] TOPICS = {"orders", "payments"};

    private final Random random;
    private final Order order;
    private final HistoryRecorder recorder;
    private final Map<String, List<UUID>> logs = new TreeMap<>();
    private final Map<String, Writer> lockHolders = new HashMap<>();
    private final Map<String, Long> versions = new HashMap<>();
    private final TreeSet<Long> inProgress = new TreeSet<>();
    private final List<Long> commits = new ArrayList<>();
    private final List<Row> fresh = new ArrayList<>();
    private final int keys;
    private long clock;
    private long lastId;
    private long lastPlaced;
    private long nextXid = 700;
    private int events;

    Simulation(long seed, Order order, int keys) {
        random = new Random(seed);
        this.order = order;
        this.keys = keys;
        recorder = new HistoryRecorder(() -> ++clock);
        for (String topic : TOPICS) {
            logs.put(topic, new ArrayList<>());
        }
    }

    /** A small run, as most tests want it. */
    public static SimulatedWorld world(long seed) {
        return new Simulation(seed, Order.BY_LAST_ID, 4).run(6, 120);
    }

    /** Runs so many writers until so many events were emitted; the first keeps one transaction open all the while. */
    public SimulatedWorld run(int writers, int wanted) {
        List<Writer> all = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            all.add(new Writer());
        }
        all.get(0).begin();
        all.get(0).emit();
        while (events < wanted) {
            all.get(1 + random.nextInt(writers - 1)).act();
            if (random.nextInt(40) == 0) {
                pass();
            }
        }
        all.forEach(Writer::end);
        pass();
        if (random.nextBoolean()) {
            recorder.commitOrder(commits.stream().mapToLong(Long::longValue).toArray());
        }
        return new SimulatedWorld(recorder.history().transactions(), logs, clock);
    }

    private void pass() {
        Comparator<Row> wanted = switch (order) {
            case BY_LAST_ID -> Comparator.comparingLong((Row row) -> row.lastId);
            case BY_XID -> Comparator.comparingLong((Row row) -> row.xid);
            case BY_ID, ABOVE_LAST_ID -> Comparator.comparingLong((Row row) -> row.id);
        };
        long above = order == Order.ABOVE_LAST_ID ? lastPlaced : 0;
        lastPlaced = fresh.stream().mapToLong(Row::id).reduce(lastPlaced, Math::max);
        fresh.stream()
                .filter(row -> row.id > above)
                .sorted(wanted.thenComparingLong(row -> row.id))
                .forEach(row -> logs.get(row.topic).add(row.event));
        fresh.clear();
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private String anyKey() {
        return "key-" + random.nextInt(keys);
    }

    /** One event in the table; {@code lastId} is the greatest of its transaction in its topic, once that is known. */
    private record Row(UUID event, String topic, long xid, long id, long lastId) {}

    private final class Writer {
        private TransactionRecorder transaction;
        private long xid;
        private TransactionRecorder.Savepoint savepoint;
        private int rowsAtSavepoint;
        private final List<String> held = new ArrayList<>();
        private int heldAtSavepoint;
        private final List<Row> rows = new ArrayList<>();

        void act() {
            if (transaction == null) {
                begin();
                return;
            }
            int what = random.nextInt(100);
            if (what < 20) {
                lock(anyKey());
            } else if (what < 35) {
                look();
            } else if (what < 70) {
                emit();
            } else if (what < 76) {
                setSavepoint();
            } else if (what < 82) {
                rollBackToSavepoint();
            } else {
                end();
            }
        }

        void begin() {
            transaction = recorder.begin();
            xid = 0;
        }

        /** As in PostgreSQL, with the first statement that writes and after that statement's snapshot. */
        private void drawXid() {
            if (xid == 0) {
                xid = nextXid++;
                inProgress.add(xid);
                transaction.xid(xid);
            }
        }

        private void lock(String key) {
            if (lockHolders.putIfAbsent(key, this) == null) {
                drawXid();
                held.add(key);
                transaction.locked(key, versions.getOrDefault(key, 0L) + 1);
            }
        }

        private void look() {
            for (int i = 0; i < 2; i++) {
                String key = anyKey();
                long committed = versions.getOrDefault(key, 0L);
                transaction.saw(key, held.contains(key) ? committed + 1 : committed);
            }
        }

        void emit() {
            if (chance(60)) {
                transaction.saw(snapshot());
            }
            drawXid();
            String topic = TOPICS[chance(75) ? 0 : 1];
            String key =
                    !held.isEmpty() && chance(70) ? held.get(random.nextInt(held.size())) : chance(50) ? anyKey() : "";
            UUID event = new UUID(random.nextLong(), random.nextLong());
            Row row = new Row(event, topic, xid, ++lastId, 0);
            rows.add(row);
            events++;
            transaction.emitted(event, topic, key, row.id);
        }

        /** As in PostgreSQL, without the transaction itself among those in progress. */
        private Snapshot snapshot() {
            StringJoiner others = new StringJoiner(",");
            inProgress.stream().filter(x -> x != xid).forEach(x -> others.add(x.toString()));
            long xmin = inProgress.isEmpty() ? nextXid : inProgress.first();
            return Snapshot.parse(xmin + ":" + nextXid + ":" + others);
        }

        private void setSavepoint() {
            savepoint = transaction.savepoint();
            rowsAtSavepoint = rows.size();
            heldAtSavepoint = held.size();
        }

        private void rollBackToSavepoint() {
            if (savepoint != null) {
                transaction.rolledBackTo(savepoint);
                rows.subList(rowsAtSavepoint, rows.size()).clear();
                List<String> released = held.subList(heldAtSavepoint, held.size());
                lockHolders.keySet().removeAll(released);
                released.clear();
            }
        }

        void end() {
            if (transaction == null) {
                return;
            }
            transaction.committing();
            int what = random.nextInt(100);
            boolean commits = what < 80;
            if (commits) {
                commit();
            }
            if (what >= 75 && what < 85) {
                transaction.unknown();
            } else if (commits) {
                transaction.committed();
            } else {
                transaction.aborted();
            }
            inProgress.remove(xid);
            lockHolders.keySet().removeAll(held);
            held.clear();
            rows.clear();
            savepoint = null;
            transaction = null;
        }

        private void commit() {
            if (xid != 0) {
                commits.add(xid);
            }
            held.forEach(key -> versions.merge(key, 1L, Long::sum));
            for (String topic : TOPICS) {
                List<Row> own =
                        rows.stream().filter(row -> row.topic.equals(topic)).toList();
                // In the order of emitting, so that the last has the greatest id.
                own.forEach(row -> fresh.add(new Row(row.event, topic, row.xid, row.id, own.get(own.size() - 1).id)));
            }
        }
    }
}
