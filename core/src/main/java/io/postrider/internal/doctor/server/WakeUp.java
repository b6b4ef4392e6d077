package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.ListenConnection;
import io.postrider.internal.db.ListenPause;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A notification arrives. Uses its own channel, so that no node wakes up. */
public final class WakeUp implements Check {
    private static final Sql NOTIFY = Sql.text("doctor/notify", "select pg_notify(:channel, :token)::text as told");
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "wake-up";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        try (ListenConnection line = ListenConnection.open(examination.direct(), examination.database())) {
            if (line.isPooled()) {
                return List.of(Finding.warn("not tried: LISTEN does not work through a pooler", "see pooler"));
            }
            if (!line.canListen()) {
                return List.of(Finding.warn(
                        "nodes poll instead of listening: " + line.obstacle(),
                        "events arrive up to 1 s later, and one node queries every 25 ms even when idle; use a version of"
                                + " pgjdbc that Postrider is tested with, unwrapped and without GSS encryption"));
            }
            String channel = examination.database().schema().text() + "_doctor";
            String token = UUID.randomUUID().toString();
            line.listen(channel, Set.of(token), new ListenPause());
            long began = System.nanoTime();
            examination
                    .session()
                    .query(NOTIFY, bind -> bind.text("channel", channel).text("token", token), row -> true);
            return List.of(hear(line, token, began));
        }
    }

    private static Finding hear(ListenConnection line, String token, long began) {
        while (true) {
            Duration left = PATIENCE.minusNanos(System.nanoTime() - began);
            if (left.isNegative() || left.isZero()) {
                return Finding.fail(
                        "a notification did not arrive within " + PATIENCE.toSeconds() + " s",
                        "events wait for the poll, up to 1 s; find a listening session that stays in a transaction");
            }
            if (line.await(left).contains(token)) {
                return Finding.ok("a notification arrived after "
                        + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms");
            }
        }
    }
}
