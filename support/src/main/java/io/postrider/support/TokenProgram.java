package io.postrider.support;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Issues tokens for the server. Found by {@link java.util.ServiceLoader} if the server is on the class path. */
public interface TokenProgram {
    /**
     * Returns a token that is signed with the configured secret of the server.
     *
     * @param settings by full name; they override files and environment
     */
    String issue(Map<String, String> settings, TokenRequest request);

    /**
     * The content of the token.
     *
     * @param user covers the events of this user, within the project if there is one
     * @param project without a user, covers the whole project
     * @param all covers everything
     * @param key the id of the secret; may be null if the server has one
     */
    record TokenRequest(
            @Nullable String user,
            @Nullable String project,
            boolean all,
            Duration lifetime,
            @Nullable String key) {}
}
