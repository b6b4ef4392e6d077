package io.postrider.bench.realtime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The other end of {@link io.postrider.bench.Child}: lines come in, each is answered with one, and the process ends with them. */
final class Answers {
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = System.out;

    /** What a process can be asked beside {@code ready} and {@code clock}. */
    @FunctionalInterface
    interface Skill {
        /** The answer; empty if there is nothing to say. */
        String answer(String[] words) throws Exception;
    }

    /** From now on standard output is for answers alone: what else is printed goes to standard error. */
    Answers() {
        System.setOut(System.err);
    }

    /** A line that was told before anything is asked. */
    String told() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IllegalStateException("was not told what it needs");
        }
        return line;
    }

    /** Until the other end is gone; then nothing is worth waiting for. */
    void serve(Skill skill) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(line.split(" ", -1), skill));
            out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    private static String answer(String[] words, Skill skill) {
        try {
            return switch (words[0]) {
                case "ready" -> "ok";
                case "clock" -> "ok " + System.nanoTime();
                default -> "ok " + skill.answer(words);
            };
        } catch (Exception e) {
            Throwable cause = e; // what frameworks wrap it in says nothing
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return "error " + cause.toString().replaceAll("\\s+", " ");
        }
    }
}
