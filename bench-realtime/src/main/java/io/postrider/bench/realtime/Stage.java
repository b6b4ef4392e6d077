package io.postrider.bench.realtime;

import io.postrider.bench.BenchContext;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.load.PostriderLog;
import io.postrider.bench.measure.CpuUsage;
import java.util.concurrent.atomic.AtomicLong;

/** Both variants and their clients at once: each stays connected while the other has its turn. */
final class Stage implements AutoCloseable {
    static final String POSTRIDER = "postrider";
    static final String BARE = "bare";

    private static final AtomicLong TURNS = new AtomicLong(System.nanoTime() >>> 20 << 20);

    private final BenchContext bench;
    private final GatewayWay gateway;
    private final BareWay bare;
    private final Crowd crowd;
    private final Opened opened;

    private Stage(BenchContext bench, BenchDatabase database, int clients, Opened opened) throws Exception {
        this.bench = bench;
        this.opened = opened;
        this.gateway = opened.keep(GatewayWay.open(database));
        this.bare = opened.keep(BareWay.open());
        this.crowd = opened.keep(Crowd.open(clients));
        crowd.join(POSTRIDER, gateway);
        crowd.join(BARE, bare);
    }

    static Stage open(BenchContext bench, String scenario, int clients) throws Exception {
        bench.tell(scenario + ": starting the server, Redis and " + clients + " clients of each");
        BenchDatabase database = bench.server().create(scenario);
        Opened opened = new Opened();
        try {
            opened.keep(() -> bench.drop(database));
            PostriderLog.install(database);
            return new Stage(bench, database, clients, opened);
        } catch (Exception e) {
            opened.close();
            throw e;
        }
    }

    GatewayWay gateway() {
        return gateway;
    }

    Way way(String name) {
        return name.equals(POSTRIDER) ? gateway : bare;
    }

    Crowd crowd() {
        return crowd;
    }

    CpuUsage cpu(String name) {
        return new CpuUsage(bench, gateway.database())
                .with("clients JVM", crowd.child())
                .with(name + " JVM", way(name).server());
    }

    static long nextTurn() {
        return TURNS.incrementAndGet();
    }

    @Override
    public void close() {
        opened.close();
    }
}
