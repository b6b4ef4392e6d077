package io.postrider.spring.guide;

import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Schedule;
import io.postrider.Worker;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

// region handle
@Configuration
class Handlers {
    @Bean
    Listener ledger(LedgerRepository ledger) {
        return Listener.transactional(
                "ledger", "orders", (connection, event) -> ledger.save(new LedgerEntry(event.payload())));
    }

    @Bean
    Worker mail(Mailer mailer) {
        return Worker.on("mail").handling("receipt", job -> {
            mailer.send(job.payload());
            return Fate.done();
        });
    }

    @Bean
    Schedule digest() {
        return Schedule.of("digest", "0 6 * * *", "mail", "receipt");
    }

    @Bean
    Listener history(Postrider postrider) {
        return postrider.eventLog().listener("orders");
    }
}
// endregion
