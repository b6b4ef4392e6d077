package io.postrider.spring.mail;

import io.postrider.Event;
import io.postrider.Fate;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Schedule;
import io.postrider.Worker;
import io.postrider.spring.TransactionalPostrider;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A stock application whose handlers need Postrider themselves. */
@SpringBootApplication
public class MailApplication {
    /** The payloads that were handled, for the test to wait for. */
    public static final List<String> HEARD = new CopyOnWriteArrayList<>();

    /** A collaborator of a worker that emits. */
    @Service
    public static class Mailer {
        private final TransactionalPostrider postrider;

        Mailer(TransactionalPostrider postrider) {
            this.postrider = postrider;
        }

        @Transactional
        public void send(String to) {
            postrider.emit(Event.of("mails", "mail.sent", to));
        }
    }

    @Bean
    Worker mail(Mailer mailer) {
        return Worker.on("mail").handling("welcome", job -> {
            mailer.send(job.payload());
            return Fate.done();
        });
    }

    @Bean
    Listener sent() {
        return Listener.relay("sent", "mails", event -> HEARD.add(event.payload()));
    }

    @Bean
    Listener history(Postrider postrider) {
        return postrider.eventLog().listener("mails");
    }

    @Bean
    Schedule digest() {
        return Schedule.of("digest", "0 6 * * *", "mail", "welcome");
    }
}
