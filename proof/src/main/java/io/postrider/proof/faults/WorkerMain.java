package io.postrider.proof.faults;

import com.zaxxer.hikari.HikariDataSource;
import io.postrider.ClaimedJob;
import io.postrider.Fate;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * A worker in a separate process, to be killed and frozen: {@code WorkerMain <jdbc url> <name>}. Jobs of type effect write a row
 * to table effect in their own transaction, which they keep open for 2 ms or as their payload says; jobs of type send write one
 * to table sent through another connection. Prints "ready" when it is started.
 */
public final class WorkerMain {
    private WorkerMain() {}

    public static void main(String[] args) throws InterruptedException {
        String url = args[0];
        String name = args[1];
        HikariDataSource pool = Node.pool(url, 8);
        // An external service would not wait for this disk either.
        DataSource outside = Node.pool(url + "&options=-c%20synchronous_commit=off", 2);
        Postrider.on(pool, Options.defaults().withNode(name).withSegmentSize(1_000_000))
                .add(Worker.on("q")
                        .withSlots(4)
                        .handlingInTransaction("effect", (connection, job) -> {
                            leave("effect", connection, job, name);
                            Thread.sleep(millis(job)); // so that a fault hits the open transaction
                            return Fate.done();
                        })
                        .handling("send", job -> {
                            try (Connection connection = outside.getConnection()) {
                                leave("sent", connection, job, name);
                            }
                            return Fate.done();
                        }))
                .start();
        System.out.println("ready");
        new CountDownLatch(1).await(); // until it is killed
    }

    /** As its payload says, otherwise 2. */
    private static long millis(ClaimedJob job) {
        String digits = job.payload().replaceAll("\\D", "");
        return digits.isEmpty() ? 2 : Long.parseLong(digits);
    }

    private static void leave(String table, Connection connection, ClaimedJob job, String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into " + table + " (job, attempt, node) values (?, ?, ?)")) {
            insert.setObject(1, job.id());
            insert.setInt(2, job.attempt());
            insert.setString(3, name);
            insert.executeUpdate();
        }
    }
}
