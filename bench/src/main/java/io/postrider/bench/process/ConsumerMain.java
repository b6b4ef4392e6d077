package io.postrider.bench.process;

import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.measure.HandledEvents;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The child process: {@code listening} runs a node with one listener, {@code working} one with a worker, {@code sequencing} one
 * with neither, {@code notified} and {@code polled} the bare loops. The first three lines give the database; then each line is a
 * command.
 */
public final class ConsumerMain {
    private ConsumerMain() {}

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        BenchDatabase database = new BenchDatabase("given", line(in), line(in), line(in));
        HandledEvents handled = new HandledEvents();
        Consumer consumer = consumer(args[0], database, handled);
        for (String command = in.readLine(); command != null; command = in.readLine()) {
            System.out.println(answer(command, consumer, handled));
            System.out.flush();
        }
        System.exit(0); // the parent has ended: nothing to wait for
    }

    private static String line(BufferedReader in) throws Exception {
        String line = in.readLine();
        if (line == null) {
            throw new IllegalStateException("the database was not passed");
        }
        return line;
    }

    private static Consumer consumer(String kind, BenchDatabase database, HandledEvents handled) {
        return switch (kind) {
            case "listening" -> PostriderConsumer.listening(database, handled);
            case "working" -> PostriderConsumer.working(database, handled);
            case "sequencing" -> PostriderConsumer.sequencing(database);
            case "notified" -> new OutboxConsumer(database, handled, true);
            case "polled" -> new OutboxConsumer(database, handled, false);
            default -> throw new IllegalArgumentException("no such consumer: " + kind);
        };
    }

    private static String answer(String command, Consumer consumer, HandledEvents handled) {
        try {
            switch (command) {
                case "ready" -> {}
                case "start" -> consumer.start();
                case "stop" -> consumer.stop();
                case "record" -> handled.record(true);
                case "forget" -> handled.record(false);
                case "clock" -> {
                    return "ok " + System.nanoTime();
                }
                case "count" -> {
                    return "ok " + handled.count();
                }
                case "dump" -> {
                    return "ok " + handled.dump();
                }
                case "notified" -> {
                    return "ok " + consumer.notified();
                }
                case "passes" -> {
                    return "ok " + consumer.passMillis();
                }
                default -> {
                    return "error no such command";
                }
            }
            return "ok";
        } catch (Exception e) {
            return "error " + e.toString().replaceAll("\\s+", " ");
        }
    }
}
