package io.postrider.cli;

import io.postrider.cli.text.Ink;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where the command reads and writes, and what it knows of its surroundings. Handed in, so that a test can run a command in
 * its own process.
 *
 * @param ttys which of the streams are a person's screen or keyboard
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment, Ttys ttys) {

    /** Which streams are terminals. */
    public record Ttys(boolean in, boolean out, boolean err) {
        public static final Ttys NONE = new Ttys(false, false, false);
    }

    /** This process's own. Standard output is buffered: who writes a piece that somebody waits for flushes it. */
    static Terminal ofProcess() {
        return new Terminal(
                System.in,
                new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                System.getenv(),
                new Ttys(isTty(0), isTty(1), isTty(2)));
    }

    /** Colours for what goes to standard output. */
    public Ink ink() {
        return new Ink(ttys.out() && wantsColour());
    }

    /** Colours for narration. */
    Ink inkOfErr() {
        return new Ink(ttys.err() && wantsColour());
    }

    private boolean wantsColour() {
        return environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** Narration: what a person wants to know and a script does not. */
    public void say(String text) {
        err.println(text);
    }

    /** How wide and high the screen is; 80 by 24 where nobody can tell. */
    public Size size() {
        try {
            Process stty = new ProcessBuilder("sh", "-c", "stty size < /dev/tty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String[] words = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .trim()
                    .split(" ", -1);
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[1]);
            return rows > 0 && columns > 0 ? new Size(columns, rows) : Size.USUAL;
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return Size.USUAL;
        }
    }

    /** In characters. */
    public record Size(int columns, int rows) {
        static final Size USUAL = new Size(80, 24);
    }

    /** System.console() tells of input and output together only, and on newer runtimes not even that. */
    private static boolean isTty(int descriptor) {
        try {
            Path link = Path.of("/proc/self/fd/" + descriptor);
            if (Files.isSymbolicLink(link)) {
                String target = Files.readSymbolicLink(link).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
            }
            return new ProcessBuilder("sh", "-c", "[ -t " + descriptor + " ]")
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
