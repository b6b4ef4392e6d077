package io.postrider.gateway;

import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** One database and one started node for a class; each test has a topic and a gateway of its own. */
@PostgresTest(per = PostgresTest.Per.CLASS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GatewayTestBase {
    private final AtomicInteger number = new AtomicInteger();
    TestDatabase database;
    Postrider postrider;

    @BeforeAll
    void startNode(TestDatabase given) {
        database = given;
        postrider = Postrider.on(database.dataSource(), Options.defaults().withNode("gateway-test"))
                .migrate()
                .start();
    }

    @AfterAll
    void stopNode() {
        postrider.close();
    }

    GatewayOptions options() {
        return GatewayOptions.of("chat-" + number.incrementAndGet());
    }

    Served serve(GatewayOptions options) throws Exception {
        return new Served(postrider, database.dataSource(), options);
    }

    Served serve() throws Exception {
        return serve(options());
    }
}
