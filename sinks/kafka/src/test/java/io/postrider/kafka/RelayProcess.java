package io.postrider.kafka;

import io.postrider.LogEvent;
import io.postrider.Postrider;
import io.postrider.RelayEpoch;
import io.postrider.SendResult;
import io.postrider.Sink;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** A node with the relay, in a process of its own. It tells what it has sent, and can be made to fall dead right then. */
final class RelayProcess {
    private RelayProcess() {}

    /** Arguments: database, brokers, topic, and after how many sends to fall dead (0 for never). */
    public static void main(String[] args) throws Exception {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        Sink sink = new Mortal(KafkaSink.to(args[2], KafkaOptions.at(args[1])), Integer.parseInt(args[3]));
        Postrider.on(dataSource).add(Orders.relay(sink).withBatch(50)).start();
        Thread.currentThread().join();
    }

    private static final class Mortal implements Sink {
        private final Sink sink;
        private int left;

        Mortal(Sink sink, int left) {
            this.sink = sink;
            this.left = left;
        }

        @Override
        public String describe() {
            return sink.describe();
        }

        @Override
        public SendResult send(RelayEpoch epoch, List<LogEvent> events) throws Exception {
            System.out.println("sending " + events.get(0).position());
            SendResult receipt = sink.send(epoch, events);
            if (--left == 0) {
                Runtime.getRuntime().halt(137); // it is there, and nobody has written that down
            }
            return receipt;
        }

        @Override
        public Map<Long, UUID> holds(RelayEpoch epoch, long after) throws Exception {
            return sink.holds(epoch, after);
        }

        @Override
        public String test() throws Exception {
            return sink.test();
        }
    }
}
