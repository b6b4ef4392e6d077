package io.postrider.server.api;

import io.postrider.Postrider;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

/** Tokens that are not to be believed any more: refused at once here, and everywhere within seconds; open streams are cut. */
final class TokenRoutes {
    private final Postrider postrider;
    private final BiConsumer<String, Instant> revoked;

    TokenRoutes(Postrider postrider, BiConsumer<String, Instant> revoked) {
        this.postrider = postrider;
        this.revoked = revoked;
    }

    List<Route> routes() {
        return List.of(Route.post("/v1/tokens/revoke", Need.OPERATOR, this::revoke));
    }

    private Answer revoke(Call call) {
        Fields fields = call.fields("jti", "expires_at", "why");
        String jti = fields.text("jti");
        Instant expires = fields.timeOrNull("expires_at");
        if (expires == null) {
            throw Problem.badRequest("the body lacks the field 'expires_at': the token's exp");
        }
        postrider.revocations().revoke(jti, expires, fields.textOrNull("why"));
        revoked.accept(jti, expires);
        return Answer.ok(JsonText.object().put("jti", jti).put("revoked", true));
    }
}
