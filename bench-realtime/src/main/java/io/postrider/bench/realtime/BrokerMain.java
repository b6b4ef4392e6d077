package io.postrider.bench.realtime;

import kafka.Kafka;

/** The process of {@link Broker}: Kafka's own main, which exits when the benchmark does. */
public final class BrokerMain {
    private BrokerMain() {}

    /** @param args the settings file */
    public static void main(String[] args) throws Exception {
        new Answers().serve(words -> {
            new Thread(() -> Kafka.main(args), "kafka-main").start();
            return "";
        });
    }
}
