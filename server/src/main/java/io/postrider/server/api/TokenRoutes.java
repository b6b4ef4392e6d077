package io.postrider.server.api;

import io.postrider.admin.Revocations;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.TokenSchemas;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

/** Revokes tokens: they are refused here at once and on all nodes within seconds, and their open streams are closed. */
final class TokenRoutes {
    private final Revocations revocations;
    private final BiConsumer<String, Instant> revoked;

    TokenRoutes(Changing changing, BiConsumer<String, Instant> revoked) {
        this.revocations = changing.postrider().revocations();
        this.revoked = revoked;
    }

    List<Route> routes() {
        return List.of(Route.post("/v1/tokens/revoke", Need.OPERATOR, this::revoke)
                .described(Operation.of(
                                "tokens", "revokeToken", "Revoke a token. Streams that were opened with it are closed.")
                        .noting("An expires_at in the past is refused. At most 100,000 revoked tokens may be unexpired;"
                                + " beyond that the answer is 409, and the signing key should be replaced.")
                        .body(TokenSchemas.REVOKE)
                        .answers(TokenSchemas.REVOKED)
                        .fails(ErrorResponse.CONFLICT)));
    }

    private Answer revoke(Call call) {
        Fields fields = call.fields("jti", "expires_at", "why");
        String jti = fields.text("jti");
        Instant expires = fields.timeOrNull("expires_at");
        if (expires == null) {
            throw Problem.badRequest("the body lacks the field 'expires_at': the token's exp");
        }
        revocations.revoke(jti, expires, fields.textOrNull("why"));
        revoked.accept(jti, expires);
        return Answer.ok(JsonText.object().put("jti", jti).put("revoked", true));
    }
}
