package io.postrider.support;

import java.util.Map;
import java.util.function.Consumer;

/** The server as the command line sees it. Found by {@link java.util.ServiceLoader} if the server is on the class path. */
public interface ServerProgram {
    /**
     * Runs until the process is asked to stop, and returns the exit code.
     *
     * @param say receives the lines for the person at the terminal
     * @param settings by full name, such as {@code postrider.http.port}; they override files and environment
     */
    int run(Consumer<String> say, Map<String, String> settings);
}
