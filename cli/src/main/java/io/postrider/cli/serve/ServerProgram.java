package io.postrider.cli.serve;

import io.postrider.cli.Terminal;
import java.util.Map;

/** The server as the command knows it; found by {@link java.util.ServiceLoader}, where the server is on the class path. */
public interface ServerProgram {
    /**
     * Runs until the process is told to end. Gives the exit code.
     *
     * @param settings by their full names, such as {@code postrider.http.port}; they go before files and environment
     */
    int run(Terminal terminal, Map<String, String> settings);
}
