package io.postrider.livechat;

import io.postrider.gateway.Identity;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.TokenMint;
import java.time.Duration;
import java.util.Optional;

/** Tokens from the server's own mint, which its gateway accepts. */
public record MintedPasses(TokenMint mint) implements Passes {
    @Override
    public String issue(Guest guest, Duration life) {
        Identity.Reach reach = guest.agent() ? Identity.Reach.PROJECT : Identity.Reach.USER;
        return mint.issue(guest.user(), guest.project(), reach, life);
    }

    @Override
    public Optional<Guest> check(String token) {
        try {
            return Guest.of(mint.tokens().verify(token));
        } catch (Refusal e) {
            return Optional.empty();
        }
    }
}
