package io.postrider.server.http;

import io.postrider.gateway.Identity;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.Revocations;
import io.postrider.gateway.Tokens;
import io.postrider.server.api.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses every request without a valid token, whatever it is for. Three addresses are exempt: the OpenAPI document is
 * public, and the gateway checks tokens itself (a browser's WebSocket sends its token in the first frame, not in a header).
 */
public final class TokenFilter extends HttpFilter {
    private static final long serialVersionUID = 1;
    private static final String IDENTITY = TokenFilter.class.getName() + ".identity";

    /** Addresses that are public or check tokens themselves. */
    static final Set<String> LEFT_OUT = Set.of("/v1/openapi.json", "/v1/stream", "/v1/socket");

    private final transient Tokens tokens;
    private final transient Revocations revocations;

    /** Accepts the tokens that these keys verify, unless they are revoked. */
    public TokenFilter(Tokens tokens, Revocations revocations) {
        this.tokens = tokens;
        this.revocations = revocations;
    }

    /** The caller; null if a request was let through without a token. */
    static @Nullable Identity identity(HttpServletRequest request) {
        return (Identity) request.getAttribute(IDENTITY);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!LEFT_OUT.contains(RequestPath.of(request))) {
            try {
                request.setAttribute(IDENTITY, verified(request));
            } catch (RuntimeException e) {
                Problems.write(response, Problem.of(e));
                return;
            }
        }
        chain.doFilter(request, response);
    }

    Identity verified(HttpServletRequest request) {
        List<String> sent = Collections.list(request.getHeaders("Authorization"));
        if (sent.size() != 1 || !sent.get(0).regionMatches(true, 0, "Bearer ", 0, 7)) {
            throw Problem.unauthorized(sent.isEmpty() ? "no token was sent" : "Authorization must be one Bearer token");
        }
        Identity who;
        try {
            who = tokens.verify(sent.get(0).substring(7).strip());
        } catch (Refusal e) {
            throw Problem.of(e);
        }
        if (who.tokenId() != null && revocations.isRevoked(who.tokenId())) {
            throw Problem.unauthorized("the token was revoked");
        }
        return who;
    }
}
