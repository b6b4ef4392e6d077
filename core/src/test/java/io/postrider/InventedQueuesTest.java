package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.admin.Queues;
import io.postrider.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Producers choose the names of queues. However many they invent, the list of queues stays short and has the real ones. */
@Migrated
@Tag("security")
class InventedQueuesTest {
    @Test
    void the_list_has_every_queue_that_workers_work_on_and_few_others(TestDatabase database) {
        try (Psql psql = new Psql(database);
                Node node = new Node(database)) {
            psql.execute("insert into postrider.event (topic, type, payload)"
                    + " select 'queue:invented' || i, 'spam', '{}' from generate_series(1, 1200) i");
            psql.passAll();
            node.postrider.add(Worker.on("mail").handling("receipt", job -> Fate.done()));
            node.postrider.start();
            List<String> names = node.postrider.queues().list().stream()
                    .map(Queues.Status::name)
                    .toList();
            assertThat(names).contains("mail", "invented1").hasSizeLessThanOrEqualTo(1_001);
        }
    }
}
