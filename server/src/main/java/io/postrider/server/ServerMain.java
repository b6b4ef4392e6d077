package io.postrider.server;

import io.postrider.PostriderException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Starts the server without the command line: {@code java -cp 'lib/*' io.postrider.server.ServerMain --postrider.http.port=8080}.
 * Each argument is a setting with its full name; they override files and environment.
 */
public final class ServerMain {
    private static final int FAILURE = 1;
    private static final int USAGE = 2;
    private static final int UNREACHABLE = 5;

    private ServerMain() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String... args) {
        try {
            return new ServeProgram().run(System.err::println, settings(args));
        } catch (PostriderException e) {
            System.err.println("postrider: " + e.getMessage());
            return switch (e.kind()) {
                case REFUSED -> USAGE;
                case UNREACHABLE -> UNREACHABLE;
                default -> FAILURE;
            };
        }
    }

    static Map<String, String> settings(String... args) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (!arg.startsWith("--") || equals < 3) {
                throw PostriderException.refused(
                        "'" + arg + "' is not a setting; write it as --postrider.http.port=8080");
            }
            settings.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        return settings;
    }
}
