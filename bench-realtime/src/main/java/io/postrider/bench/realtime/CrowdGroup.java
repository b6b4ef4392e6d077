package io.postrider.bench.realtime;

import java.util.ArrayList;
import java.util.List;

/** The clients of one variant, and what they have received in this turn. */
final class CrowdGroup {
    private final List<CrowdClient> clients = new ArrayList<>();

    // Guarded by this.
    private long turn;
    private long[][] times = new long[0][];
    private int[] next;
    private int settled;
    private long delivered;
    private long wrong;
    private long closed;
    private long lastAt;

    CrowdGroup(int size) {
        this.next = new int[size];
        for (int i = 0; i < size; i++) {
            clients.add(new CrowdClient(this, i));
        }
    }

    List<CrowdClient> clients() {
        return clients;
    }

    synchronized void begin(long newTurn, int messages) {
        turn = newTurn;
        times = new long[messages][clients.size()];
        next = new int[clients.size()];
        delivered = 0;
    }

    /** A client has received its first frame. */
    synchronized void settled() {
        settled++;
    }

    synchronized void closed() {
        closed++;
    }

    /**
     * A client has received a message. Messages of earlier turns are ignored; they can arrive only at the beginning of this one.
     */
    synchronized void had(int client, long ofTurn, int number, long at) {
        if (ofTurn != turn) {
            return;
        }
        if (number != next[client] || number >= times.length) {
            wrong++;
            return;
        }
        next[client]++;
        times[number][client] = at;
        delivered++;
        lastAt = at;
    }

    synchronized String state() {
        int least = Integer.MAX_VALUE;
        for (int one : next) {
            least = Math.min(least, one);
        }
        return settled + " " + least + " " + delivered + " " + wrong + " " + closed;
    }

    synchronized long lastAt() {
        return lastAt;
    }

    synchronized Arrival arrival(long[] sent) {
        if (delivered != (long) sent.length * clients.size()) {
            throw new IllegalStateException(delivered + " deliveries of " + sent.length + " messages");
        }
        return Arrival.of(sent, times);
    }
}
