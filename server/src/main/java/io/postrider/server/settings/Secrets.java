package io.postrider.server.settings;

import io.postrider.PostriderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A secret in the settings: the text itself, or {@code file:/path} of a mounted file that contains it. */
public final class Secrets {
    private static final String FILE = "file:";

    private Secrets() {}

    /** The secret; an unreadable file is refused by the setting's name. */
    public static String read(String setting, String value) {
        if (!value.startsWith(FILE)) {
            return value;
        }
        try {
            return Files.readString(Path.of(value.substring(FILE.length()))).strip();
        } catch (IOException e) {
            throw PostriderException.refused(setting + " names a file that cannot be read: " + value);
        }
    }
}
