package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;

/** The revocation of tokens. */
public final class TokenSchemas {
    public static final Schema REVOKE = object("Revoke")
            .has("jti", text().described("The token's id."))
            .has("expires_at", time().described("The token's exp."))
            .mayHave("why", text())
            .example("""
                    {"jti": "05947d38-b3c7-4178-aeae-7b7f7c4f95e6", "expires_at": "2026-05-01T12:00:00Z",
                     "why": "lost laptop"}""");

    public static final Schema REVOKED = object("Revoked").has("jti", text()).has("revoked", flag());

    private TokenSchemas() {}
}
