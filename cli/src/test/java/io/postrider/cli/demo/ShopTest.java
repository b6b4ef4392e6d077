package io.postrider.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.Fate;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.admin.Jobs.State;
import io.postrider.testkit.Await;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A count that could not find anything wrong would prove nothing. */
@PostgresTest
class ShopTest {
    private static final String PACK_ALL =
            "insert into shop.parcels select o.event_id, o.job_id, o.run from shop.orders o";

    private TestDatabase database;
    private Shop shop;

    @BeforeEach
    void an_order_that_was_rolled_back_is_not_counted(TestDatabase given) throws SQLException {
        database = given;
        Postrider postrider = Postrider.on(database.dataSource()).migrate();
        shop = new Shop(database.dataSource(), "run-1");
        shop.open();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            shop.order(postrider, connection, "anne", Shop.PLACED, 100);
            shop.order(postrider, connection, "anne", Shop.PLACED, 100);
            connection.commit();
            shop.order(postrider, connection, "anne", Shop.PLACED, 100);
            connection.rollback();
        }
    }

    @Test
    void an_order_whose_job_waits_is_not_lost() throws SQLException {
        work(Fate.snooze(Duration.ofHours(1)), State.PENDING);
        assertThat(shop.parcels()).isEqualTo(new Shop.Parcels(2, 0, 2, new Shop.Effects(0, 0, 0)));
    }

    @Test
    void an_order_whose_job_is_done_and_that_has_no_parcel_is_lost() throws SQLException {
        work(Fate.done(), State.DONE);
        assertThat(shop.parcels()).isEqualTo(new Shop.Parcels(2, 0, 0, new Shop.Effects(2, 0, 0)));
    }

    @Test
    void an_order_is_packed_once() throws SQLException {
        execute(PACK_ALL);
        assertThat(shop.parcels()).isEqualTo(new Shop.Parcels(2, 2, 0, new Shop.Effects(0, 0, 0)));
        execute(PACK_ALL);
        assertThat(shop.parcels().effects()).isEqualTo(new Shop.Effects(0, 2, 0));
    }

    @Test
    void a_parcel_without_an_order_is_a_ghost() throws SQLException {
        execute(PACK_ALL);
        execute("insert into shop.parcels values (gen_random_uuid(), gen_random_uuid(), 'run-1')");
        assertThat(shop.parcels().effects()).isEqualTo(new Shop.Effects(0, 0, 1));
    }

    /** A worker that packs nothing, until both jobs stand as they should. */
    private void work(Fate fate, State state) {
        try (Postrider node = Postrider.on(database.dataSource())
                .add(Worker.on(DemoWorkers.PARCELS).handling(DemoWorkers.PACK, job -> fate))
                .start()) {
            Await.until(
                    "both jobs are " + state,
                    () -> node.jobs().list(DemoWorkers.PARCELS, state, 10).size() == 2);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
