package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Event;
import io.postrider.testkit.Await;
import io.postrider.testkit.ChildJvm;
import io.postrider.testkit.TestRun;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Streams and sockets in one room, 1,000 of each in the full run, of which every tenth never reads: the others are served,
 * memory stays flat.
 */
@Tag("slow")
@Tag("alone")
@Tag("security")
class SlowReadersTest extends GatewayTestBase {
    private static final int EACH = TestRun.count(400, 1_000);
    private static final int DEAF = 2 * EACH / 10;
    private static final int BATCHES = 10;
    private static final int AT_ONCE = 20;
    private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(4_000) + "\"}";
    private static final Pattern MIN = Pattern.compile("min=(\\d+) max=(\\d+) wrong=(\\d+) closed=(\\d+) bytes=(\\d+)");

    private final AtomicInteger overflows = new AtomicInteger();
    private final AtomicInteger slow = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();
    private final AtomicInteger sockets = new AtomicInteger();

    @Test
    @Timeout(600)
    void every_tenth_never_reads_and_the_others_do_not_notice() throws Exception {
        GatewayOptions options = options()
                .withConnections(5_000, 5_000)
                .withOutbox(256 * 1024, 4_096) // two bytes for each character of a WebSocket
                .withSendTimeout(Duration.ofSeconds(30))
                .withWatch(new GatewayWatch() {
                    @Override
                    public void overflowed(String topic, long queuedBytes) {
                        overflows.incrementAndGet();
                    }

                    @Override
                    public void closed(String topic, Transport.Form form, DisconnectReason reason) {
                        (form == Transport.Form.SSE ? streams : sockets).incrementAndGet();
                        slow.addAndGet(reason == DisconnectReason.SLOW ? 1 : 0);
                    }
                });
        try (Served served = serve(options);
                ChildJvm crowd = ChildJvm.of(Crowd.class)
                        .withArguments(
                                String.valueOf(served.port),
                                served.topic,
                                served.token("agent", "p1", Identity.Reach.PROJECT),
                                String.valueOf(EACH),
                                String.valueOf(EACH),
                                "10")
                        .start()) {
            crowd.awaitLine("ready", Duration.ofMinutes(2));
            Await.until("all are there", Duration.ofMinutes(1), () -> served.hub.connections() == 2 * EACH);
            publish(served, crowd);
        }
    }

    private void publish(Served served, ChildJvm crowd) throws Exception {
        long began = 0;
        List<Long> heap = new ArrayList<>();
        for (int batch = 1; batch <= BATCHES; batch++) {
            if (batch == 2) {
                began = System.nanoTime(); // the first one warms up
            }
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                events.add(served.event("p1", "ann", PAYLOAD));
            }
            served.emitAll(events);
            long head = (long) batch * AT_ONCE;
            crowd.awaitLine("everybody who reads has " + head, Duration.ofMinutes(2), line -> min(line) >= head);
            if (batch % 2 == 0) {
                heap.add(usedHeap());
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        long frames = (long) (BATCHES - 1) * AT_ONCE * (2 * EACH - DEAF);
        String last = crowd.awaitLine("a last report", Duration.ofSeconds(60), line -> min(line) >= 0);
        Await.until("those who do not read are gone", Duration.ofMinutes(2), () -> {
            if (served.hub.connections() > 2 * EACH - DEAF) {
                throw new IllegalStateException(served.hub.connections() + " are there, " + overflows + " overflowed, "
                        + streams + " streams and " + sockets + " sockets were closed");
            }
            return true;
        });
        System.out.printf(
                "slow readers: %d connections, %d never read; %d events of %d bytes; %,.0f frames/s to those who read;"
                        + " heap after gc %s MiB, rss %d MiB; %d cut by the hub, %d of them with a full outbox; %s%n",
                2 * EACH,
                DEAF,
                BATCHES * AT_ONCE,
                PAYLOAD.length(),
                frames / seconds,
                heap,
                rss(),
                slow.get(),
                overflows.get(),
                last);
        Matcher report = MIN.matcher(last);
        assertThat(report.find()).isTrue();
        assertThat(report.group(3)).as("out of order, missing or twice").isEqualTo("0");
        assertThat(report.group(4)).as("readers that were closed").isEqualTo("0");
        Await.until("all who were cut are counted", () -> streams.get() + sockets.get() == DEAF);
        assertThat(slow.get())
                .as("the container may give up on one a moment sooner")
                .isGreaterThan(DEAF / 2);
        // A leak persists; objects that one garbage collection leaves do not.
        Await.until("the heap of " + heap + " MiB has not grown by 40", Duration.ofMinutes(1), () -> {
            return usedHeap() - heap.get(0) < 40;
        });
    }

    private static long min(String line) {
        Matcher report = MIN.matcher(line);
        return report.find() ? Long.parseLong(report.group(1)) : -1;
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
    }

    private static long rss() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
            }
        }
        return 0;
    }
}
