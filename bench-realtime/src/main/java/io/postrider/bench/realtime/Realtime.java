package io.postrider.bench.realtime;

import io.postrider.bench.Scenario;
import io.postrider.bench.Suite;
import java.util.List;

/** The scenarios of {@code bench realtime}. */
public final class Realtime implements Suite {
    @Override
    public String name() {
        return "realtime";
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(new CommitToClient(), new FanOut(), new KafkaRelay());
    }
}
