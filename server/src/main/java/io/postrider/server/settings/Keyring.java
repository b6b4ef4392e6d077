package io.postrider.server.settings;

import io.postrider.PostriderException;
import io.postrider.gateway.Identity;
import io.postrider.gateway.TokenMint;
import io.postrider.gateway.Tokens;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys that verify tokens. There is no default: without a configured key the server accepts connections from this machine
 * only, and generates a key that no other process knows and that is lost when the process ends.
 *
 * @param development a token for trying things out, if no key is configured
 */
public record Keyring(Tokens tokens, Optional<String> development) {
    private static final String SUBJECT = "developer";
    private static final Duration LASTING = Duration.ofHours(12);

    /** Reads the keys. Without any, refuses to serve other machines. */
    public static Keyring of(ServerSettings.Auth auth, String bind) {
        refuseWithoutKeys(auth, bind);
        if (isEmpty(auth)) {
            TokenMint mint = TokenMint.random(auth.issuer(), auth.audience());
            return new Keyring(mint.tokens(), Optional.of(mint.issue(SUBJECT, null, Identity.Reach.ALL, LASTING)));
        }
        Tokens tokens = Tokens.of(auth.issuer(), auth.audience());
        for (String id : auth.secrets().keySet()) {
            tokens = tokens.withSecret(id, secret(auth, id));
        }
        for (Map.Entry<String, String> key : auth.publicKeys().entrySet()) {
            tokens = tokens.withPublicKey(key.getKey(), publicKey(key.getKey(), key.getValue()));
        }
        return new Keyring(tokens, Optional.empty());
    }

    /** Omits the keys and the token, which are secrets. */
    @Override
    public String toString() {
        return development.isPresent() ? "a key of this process" : "configured keys";
    }

    /** Refuses a malformed address, and without a key also an address that other machines can reach. */
    public static void refuseWithoutKeys(ServerSettings.Auth auth, String bind) {
        if (!isLoopback(bind) && isEmpty(auth)) {
            throw PostriderException.refused("the server would listen on " + bind
                    + " and has no key to verify tokens: set postrider.auth.secrets.<key id> or"
                    + " postrider.auth.public-keys.<key id>, or bind to 127.0.0.1");
        }
    }

    private static boolean isEmpty(ServerSettings.Auth auth) {
        return auth.secrets().isEmpty() && auth.publicKeys().isEmpty();
    }

    /** Whether only this machine can reach an address. */
    public static boolean isLoopback(String bind) {
        try {
            return InetAddress.getByName(bind).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw PostriderException.refused(
                    "postrider.http.bind must be an address of this machine, was '" + bind + "'");
        }
    }

    /** The secret of this key id; refused if it is short enough to be guessed. */
    public static byte[] secret(ServerSettings.Auth auth, String id) {
        String value = auth.secrets().getOrDefault(id, "");
        byte[] secret = Secrets.read("postrider.auth.secrets." + id, value).getBytes(StandardCharsets.UTF_8);
        if (secret.length < 32) {
            throw PostriderException.refused("postrider.auth.secrets." + id + " must have at least 32 bytes, had "
                    + secret.length + "; create one with: openssl rand -base64 48");
        }
        return secret;
    }

    private static PublicKey publicKey(String id, String value) {
        String setting = "postrider.auth.public-keys." + id;
        String pem =
                Secrets.read(setting, value).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        byte[] der;
        try {
            der = Base64.getDecoder().decode(pem);
        } catch (IllegalArgumentException e) {
            throw notAKey(setting);
        }
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // try the next algorithm
            }
        }
        throw notAKey(setting);
    }

    private static PostriderException notAKey(String setting) {
        return PostriderException.refused(
                setting + " must be a public key in PEM (BEGIN PUBLIC KEY): RSA, P-256 or Ed25519");
    }
}
