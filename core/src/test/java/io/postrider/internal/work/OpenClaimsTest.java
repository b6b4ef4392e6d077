package io.postrider.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.internal.claim.Claim;
import io.postrider.internal.claim.OpenClaims;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever the order in which queues of a node ask, draw a number and hear of it: the latest claim names the oldest open one. */
@Tag("once")
class OpenClaimsTest {
    private static final int QUEUES = 4;

    /** A queue in the middle of a claim. */
    private static final class Queue {
        Long openN;
        Claim drawn;
    }

    @Test
    void a_takeover_that_starts_at_the_reported_oldest_claim_finds_every_open_one() {
        for (int seed = 0; seed < 300; seed++) {
            run(new Random(seed), "seed " + seed);
        }
    }

    private static void run(Random random, String seed) {
        OpenClaims claims = new OpenClaims();
        Queue[] queues = new Queue[QUEUES];
        for (int i = 0; i < QUEUES; i++) {
            queues[i] = new Queue();
        }
        TreeMap<Long, Long> openNs = new TreeMap<>(); // what the database has
        Map<Long, Claim> open = new HashMap<>();
        List<Claim> known = new ArrayList<>();
        long sequence = 0;
        for (int step = 0; step < 200; step++) {
            Queue queue = queues[random.nextInt(QUEUES)];
            if (queue.openN == null) {
                queue.openN = claims.ask(queue, 1).oldestOpen();
            } else if (queue.drawn == null) {
                sequence += 1 + random.nextInt(3); // other nodes draw as well
                queue.drawn = new Claim(sequence, "queue:q", sequence, sequence);
                openNs.put(sequence, queue.openN);
                open.put(sequence, queue.drawn);
            } else if (random.nextInt(20) == 0) {
                claims.doubt(queue); // the answer is lost: nobody here knows the claim
                queue.openN = null;
                queue.drawn = null;
            } else {
                claims.answer(queue, 1, queue.drawn);
                known.add(queue.drawn);
                queue.openN = null;
                queue.drawn = null;
            }
            if (!known.isEmpty() && random.nextInt(3) == 0) {
                Claim done = known.remove(random.nextInt(known.size()));
                claims.settled(1, done);
                open.remove(done.n());
            }
            if (!openNs.isEmpty() && !open.isEmpty()) {
                long oldest = open.keySet().stream().min(Long::compare).orElseThrow();
                assertThat(openNs.lastEntry().getValue())
                        .as(seed + ", step " + step)
                        .isLessThanOrEqualTo(oldest);
            }
        }
    }
}
