package io.postrider.cli.terminal;

import io.postrider.cli.text.AnsiColours;
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
 * The standard streams and the environment of a command. Passed as an argument, so that a test can run a command in its own
 * process.
 *
 * @param ttys which of the streams are terminals
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment, Ttys ttys) {

    /** Which streams are terminals. */
    public record Ttys(boolean in, boolean out, boolean err) {
        public static final Ttys NONE = new Ttys(false, false, false);
    }

    /** The streams of this process. Standard output is buffered: flush it after output that a user waits for. */
    public static Terminal ofProcess() {
        return new Terminal(
                System.in,
                new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                System.getenv(),
                new Ttys(isTty(0), isTty(1), isTty(2)));
    }

    /** Colours for standard output. */
    public AnsiColours colours() {
        return new AnsiColours(ttys.out() && wantsColour());
    }

    /** Colours for messages on standard error. */
    public AnsiColours errorColours() {
        return new AnsiColours(ttys.err() && wantsColour());
    }

    private boolean wantsColour() {
        return environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** Prints a message for people, not for scripts. */
    public void say(String text) {
        err.println(text);
    }

    /** The size of the screen; 80 by 24 if unknown. */
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

    /** System.console() reports input and output only together, and on newer runtimes not even that. */
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
