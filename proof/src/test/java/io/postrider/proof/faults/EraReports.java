package io.postrider.proof.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Watch;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** What one node reports about eras: the heads that it has seen, the eras that began, and the positions that were lost. */
final class EraReports implements Watch {
    private final String node;
    private final Map<String, Long> heads = new ConcurrentHashMap<>();
    private final List<String> eras = new CopyOnWriteArrayList<>();
    private final List<Lost> lost = new CopyOnWriteArrayList<>();

    /** @param era how many eras had begun when it was reported */
    private record Lost(int era, String topic, long from, long to) {}

    EraReports(String node) {
        this.node = node;
    }

    @Override
    public void headMoved(String topic, long position) {
        heads.put(topic, position);
    }

    @Override
    public void eraOpened(int era, String reason) {
        eras.add("era " + era + ": " + reason);
    }

    @Override
    public void forgotten(String topic, long fromPosition, long toPosition) {
        lost.add(new Lost(eras.size() + 1, topic, fromPosition, toPosition));
    }

    /** The last head of a topic that this node has seen. */
    long head(String topic) {
        return heads.getOrDefault(topic, 0L);
    }

    /** Whether the node has reported the lost positions of this topic at the begin of this era. */
    boolean hasReported(int era, String topic) {
        return lost.stream()
                .anyMatch(range -> range.era() == era && range.topic().equals(topic));
    }

    /**
     * The node reported the era once, and each lost range from the first position that the server did not keep.
     *
     * @param seen a position of the topic that this node had seen and the server has lost
     */
    void assertReported(int era, String topic, long seen, DataSource server) throws SQLException {
        assertThat(eras).as(node).hasSize(era - 1).endsWith("era " + era + ": another timeline");
        List<Lost> ranges = lost.stream().filter(range -> range.era() == era).toList();
        assertThat(ranges).as(node).extracting(Lost::topic).contains(topic).doesNotHaveDuplicates();
        for (Lost range : ranges) {
            assertThat(range.from()).as(node + " " + range).isEqualTo(kept(server, range.topic(), era) + 1);
            assertThat(range.to())
                    .as(node + " " + range)
                    .isGreaterThanOrEqualTo(range.topic().equals(topic) ? seen : range.from());
        }
    }

    private static long kept(DataSource server, String topic, int era) throws SQLException {
        return Rows.number(
                server,
                "select coalesce(max(h.position), 0) from postrider.head h join postrider.pass p on p.n = h.n"
                        + " where h.topic = '" + topic + "' and p.era < " + era);
    }
}
