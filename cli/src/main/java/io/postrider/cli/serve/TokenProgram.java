package io.postrider.cli.serve;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What makes tokens that the server believes; found by {@link java.util.ServiceLoader}, where the server is on the class path. */
public interface TokenProgram {
    /**
     * A token, signed with the secret that these settings, files and environment have for the server.
     *
     * @param settings by their full names; they go before files and environment
     */
    String issue(Map<String, String> settings, Wish wish);

    /**
     * Whose it shall be.
     *
     * @param user reaches this one's own, in the project if one is given
     * @param project without a user: reaches all of the project
     * @param all reaches everything
     * @param key by which of the server's secrets; may be missing where there is one
     */
    record Wish(
            @Nullable String user,
            @Nullable String project,
            boolean all,
            Duration lasting,
            @Nullable String key) {}
}
