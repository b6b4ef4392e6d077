package io.postrider.spring.shop;

import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.RetryPolicy;
import io.postrider.Worker;
import java.time.Duration;
import javax.sql.DataSource;
import org.jdbi.v3.spring.JdbiFactoryBean;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** A stock application: its data source, transaction manager and repositories are Spring Boot's own. */
@SpringBootApplication
public class ShopApplication {
    private static final Duration SOON = Duration.ofMillis(10);

    @Bean
    JdbiFactoryBean jdbi(DataSource dataSource) {
        return new JdbiFactoryBean(dataSource);
    }

    @Bean
    Listener bookings(Clerk clerk) {
        return Listener.transactional("bookings", "orders", (connection, event) -> clerk.handle(event.payload()))
                .withAttempts(2)
                .withBackoff(SOON, SOON);
    }

    @Bean
    Listener batches(Clerk clerk) {
        return Listener.transactionalBatch(
                        "batches",
                        "bulk",
                        (connection, events) -> events.forEach(event -> clerk.handle(event.payload())))
                .withAttempts(2)
                .withBackoff(SOON, SOON);
    }

    @Bean
    Worker books(Clerk clerk) {
        return Worker.on("books")
                .handlingInTransaction("book", (connection, job) -> {
                    clerk.handle(job.payload());
                    return Fate.done();
                })
                .withRetry("book", RetryPolicy.exponential(2, SOON, SOON));
    }
}
