package io.postrider.internal.log;

import io.postrider.admin.Watch;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The heads of the topics that this node follows, and the waits for them to move. Updated by the node's connection: at once by the
 * node's own passes, and by passes of other nodes when it is notified or polls. Thread-safe.
 */
public final class Heads {
    private static final Sql HEAD = Sql.file("log/head");
    private static final Sql PASSES_AFTER = Sql.file("log/passes_after");
    private static final Sql LAST_PASS = Sql.text(
            "log/last_pass", "select coalesce((select p.n from postrider.pass p order by p.n desc limit 1), 0) as n");

    /** If a node is further behind than this, the heads are read again instead of pass by pass. */
    private static final int CATCH_UP = 200;

    /** The last passes that are remembered for each topic, with the range of ids that got positions. */
    private static final int REMEMBERED = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Topic> topics = new HashMap<>();
    private final Watch watch;
    private long lastPass;
    private int connections;
    private boolean connected;

    public Heads(Watch watch) {
        this.watch = watch;
    }

    /** From now on this topic's head is known. */
    public void follow(Session session, String topic) {
        lock.lock();
        try {
            topics.computeIfAbsent(topic, t -> new Topic(lock.newCondition()));
        } finally {
            lock.unlock();
        }
        raise(topic, readHead(session, topic));
    }

    /** From now on, calls this whenever the head of a followed topic has changed. It must be fast. */
    public void whenMoved(String topic, Runnable call) {
        lock.lock();
        try {
            topics.computeIfAbsent(topic, t -> new Topic(lock.newCondition()))
                    .calls
                    .add(call);
        } finally {
            lock.unlock();
        }
    }

    /** After a new connection: reads everything again. The last pass is read first, so that no pass is missed in between. */
    public void reload(Session session) {
        long n = session.one(LAST_PASS, Bind::nothing, row -> row.int8("n")).orElse(0L);
        List<String> names;
        lock.lock();
        try {
            connections++;
            connected = true;
            lastPass = n;
            names = List.copyOf(topics.keySet());
        } finally {
            lock.unlock();
        }
        names.forEach(topic -> set(topic, readHead(session, topic)));
    }

    /** The connection is lost: another server may give positions to other events. */
    public void lost() {
        lock.lock();
        try {
            connected = false;
        } finally {
            lock.unlock();
        }
    }

    /** A number that changes with every connection; 0 while there is none. */
    int connection() {
        lock.lock();
        try {
            return connected ? connections : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Reads the passes of other nodes. */
    public void refresh(Session session) {
        long from = lastPass();
        List<Pass> passes =
                session.query(PASSES_AFTER, bind -> bind.int8("n", from).int4("most", CATCH_UP), Pass::read);
        if (passes.size() == CATCH_UP || (!passes.isEmpty() && passes.get(0).n() > from + 1)) {
            reload(session);
        } else {
            passes.forEach(this::moved);
        }
    }

    /** A pass has moved heads. */
    public void moved(Pass pass) {
        lock.lock();
        try {
            if (pass.n() <= lastPass) {
                return;
            }
            // If another node made a pass in between, its notification causes a refresh, which reads this pass again.
            boolean next = pass.n() == lastPass + 1;
            if (next) {
                lastPass = pass.n();
            }
            for (int i = 0; i < pass.topics().size(); i++) {
                moved(pass.topics().get(i), pass.heads().get(i), next ? pass : null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** @param by the only pass that moved it; null if there may have been others, whose ids are unknown */
    private void moved(String name, long head, @Nullable Pass by) {
        Topic topic = topics.get(name);
        if (topic == null || head <= topic.head) {
            return;
        }
        if (by == null || !topic.known) {
            topic.recent.clear();
        } else {
            topic.recent.addLast(new PassRange(topic.head + 1, head, by.lowId(), by.highId()));
        }
        if (topic.recent.size() > REMEMBERED) {
            topic.recent.removeFirst();
        }
        topic.known = true;
        topic.head = head;
        topic.changed();
        watch.headMoved(name, head);
    }

    private void raise(String name, long head) {
        lock.lock();
        try {
            set(name, Math.max(head, head(name)));
        } finally {
            lock.unlock();
        }
    }

    /** Also sets a lower head: a promoted standby may lack the last passes, and its events must not wait until it reaches ours. */
    private void set(String name, long head) {
        lock.lock();
        try {
            Topic topic = topics.get(name);
            if (topic != null) {
                topic.known = true;
            }
            if (topic != null && head != topic.head) {
                topic.recent.clear();
                topic.head = head;
                topic.changed();
                watch.headMoved(name, head);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The head as this node knows it; the log has at least this length. */
    public long head(String topic) {
        lock.lock();
        try {
            Topic known = topics.get(topic);
            return known == null ? 0 : known.head;
        } finally {
            lock.unlock();
        }
    }

    /** Each followed topic, with the head that this node knows. */
    public Map<String, Long> all() {
        lock.lock();
        try {
            Map<String, Long> all = new HashMap<>();
            topics.forEach((name, topic) -> all.put(name, topic.head));
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the head is beyond a position, the time is over, or {@link #nudge} is called. */
    public void awaitBeyond(String topic, long position, Duration most) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Topic known = topics.get(topic);
            if (known == null || known.head > position || known.nudged) {
                if (known != null) {
                    known.nudged = false;
                }
                return;
            }
            boolean inTime = known.moved.await(most.toNanos(), TimeUnit.NANOSECONDS);
            if (inTime) {
                known.nudged = false;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same wait without a thread: calls this once, when one of these happens. It must be fast.
     *
     * @return false, and calls nothing, if the head is beyond the position or was nudged
     */
    public boolean onceBeyond(String topic, long position, Runnable call) {
        lock.lock();
        try {
            Topic known = topics.get(topic);
            if (known == null || known.head > position || known.nudged) {
                if (known != null) {
                    known.nudged = false;
                }
                return false;
            }
            return known.once.add(call);
        } finally {
            lock.unlock();
        }
    }

    /** Does not call this any more. */
    public void forget(String topic, Runnable call) {
        lock.lock();
        try {
            Topic known = topics.get(topic);
            if (known != null) {
                known.once.remove(call);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits for this topic: something other than its head has changed. */
    public void nudge(String topic) {
        lock.lock();
        try {
            Topic known = topics.get(topic);
            if (known != null) {
                known.nudged = true;
                known.endWaits();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A range of ids that contains the events at these positions; all ids if the positions are not recent. */
    public Ids idsOf(String topic, long after, long upto) {
        lock.lock();
        try {
            Topic known = topics.get(topic);
            if (known == null
                    || known.recent.isEmpty()
                    || known.recent.peekFirst().from() > after + 1) {
                return Ids.ALL;
            }
            long low = Long.MAX_VALUE;
            long high = 0;
            for (PassRange range : known.recent) {
                if (range.to() > after && range.from() <= upto) {
                    low = Math.min(low, range.lowId());
                    high = Math.max(high, range.highId());
                }
            }
            return new Ids(low, high);
        } finally {
            lock.unlock();
        }
    }

    private long lastPass() {
        lock.lock();
        try {
            return lastPass;
        } finally {
            lock.unlock();
        }
    }

    private static long readHead(Session session, String topic) {
        return session.one(HEAD, bind -> bind.text("topic", topic), row -> row.int8("position"))
                .orElse(0L);
    }

    /** A range of ids, both ends included. */
    public record Ids(long low, long high) {
        static final Ids ALL = new Ids(0, Long.MAX_VALUE);
    }

    /** Positions that one pass gave, and the ids of their events. */
    private record PassRange(long from, long to, long lowId, long highId) {}

    private static final class Topic {
        final Condition moved;
        final Deque<PassRange> recent = new ArrayDeque<>();
        final List<Runnable> calls = new ArrayList<>();
        final Set<Runnable> once = new LinkedHashSet<>();
        long head;
        boolean nudged;

        /** Whether the head is known: before, a pass says where it moved the head to, but not from where. */
        boolean known;

        Topic(Condition moved) {
            this.moved = moved;
        }

        void changed() {
            endWaits();
            calls.forEach(Runnable::run);
        }

        void endWaits() {
            moved.signalAll();
            List<Runnable> ended = List.copyOf(once);
            once.clear();
            ended.forEach(Runnable::run);
        }
    }
}
