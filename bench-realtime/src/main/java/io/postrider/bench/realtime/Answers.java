package io.postrider.bench.realtime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * The other end of {@link io.postrider.bench.process.ChildProcess}: answers each input line with one line, and exits when the
 * input ends.
 */
final class Answers {
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = System.out;

    /** The commands of a process besides {@code ready} and {@code clock}. */
    @FunctionalInterface
    interface Skill {
        /** The answer; empty if there is none. */
        String answer(String[] words) throws Exception;
    }

    /** Reserves standard output for answers: all other output goes to standard error. */
    Answers() {
        System.setOut(System.err);
    }

    /** A line that is sent before the first command. */
    String told() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IllegalStateException("an expected line of input is missing");
        }
        return line;
    }

    /** Runs until the other end is closed; then there is nothing to wait for. */
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
            Throwable cause = e; // unwraps the exceptions of frameworks
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return "error " + cause.toString().replaceAll("\\s+", " ");
        }
    }
}
