package io.postrider.cli.terminal;

import io.postrider.PostriderException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Asks for confirmation before an action that cannot be undone. */
public final class Confirmation {
    private Confirmation() {}

    /** @param what what will happen, as worded in the question */
    public static boolean isGiven(Terminal terminal, String what) throws IOException {
        if (!terminal.ttys().in()) {
            throw PostriderException.refused("this will " + what + ": confirm with --yes");
        }
        terminal.err().print("This will " + what + ". Continue? [y/N] ");
        terminal.err().flush();
        String answer = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8)).readLine();
        return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    }
}
