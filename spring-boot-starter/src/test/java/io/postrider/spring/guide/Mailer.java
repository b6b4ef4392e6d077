package io.postrider.spring.guide;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** Sends mail, as far as the guide is concerned. */
@Component
public class Mailer {
    private final List<String> sent = new CopyOnWriteArrayList<>();

    void send(String text) {
        sent.add(text);
    }

    /** What was sent. */
    public List<String> sent() {
        return sent;
    }
}
