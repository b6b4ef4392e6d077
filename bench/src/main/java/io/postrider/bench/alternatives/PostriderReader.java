package io.postrider.bench.alternatives;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Event;
import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.StartPoint;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.load.Payloads;
import java.sql.Connection;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Postrider with its defaults: a node that assigns positions and runs one relay. */
final class PostriderReader implements Reader {
    private @Nullable Postrider producers;

    @Override
    public String name() {
        return "postrider";
    }

    @Override
    public void install(BenchDatabase database) {
        producers = Postrider.on(database.direct("bench-install")).migrate();
    }

    @Override
    public void write(Connection connection, UUID id, long number) {
        Postrider postrider = producers;
        if (postrider == null) {
            throw new IllegalStateException("install comes first");
        }
        postrider.emit(
                connection,
                Event.of(Payloads.TOPIC, Payloads.TYPE, Payloads.of(number))
                        .withKey(Payloads.key(number))
                        .withId(id));
    }

    @Override
    public Reading start(BenchDatabase database, Consumer<UUID> handler) {
        HikariDataSource pool = database.pool("bench-node", 4, true);
        Postrider node = Postrider.on(pool, Options.defaults().withNode("bench"))
                .add(Listener.relay("bench", Payloads.TOPIC, event -> handler.accept(event.id()))
                        .withStart(StartPoint.beginning()));
        node.start();
        return () -> {
            node.close();
            pool.close();
        };
    }
}
