package io.postrider.gateway;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.util.Base64URL;
import io.postrider.PostriderException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;

/**
 * A key with the one algorithm that it is for. The algorithm comes from here and never from a token: a token that could
 * choose would choose HS256, with our public RSA key as the secret.
 */
final class TokenKey {
    private static final int SHORTEST_SECRET = 32;
    private static final int SHORTEST_RSA = 2048;

    private final JWSAlgorithm algorithm;
    private final Check check;

    private TokenKey(JWSAlgorithm algorithm, Check check) {
        this.algorithm = algorithm;
        this.check = check;
    }

    private interface Check {
        boolean isSigned(byte[] input, byte[] signature) throws JOSEException, GeneralSecurityException;
    }

    static TokenKey secret(byte[] secret) {
        if (secret.length < SHORTEST_SECRET) {
            throw PostriderException.refused("a secret for HS256 must have " + SHORTEST_SECRET + " bytes at least, had "
                    + secret.length + "; draw one at random");
        }
        byte[] own = secret.clone();
        return verifying(JWSAlgorithm.HS256, () -> new MACVerifier(own));
    }

    static TokenKey publicKey(PublicKey key) {
        if (key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() >= SHORTEST_RSA) {
            return verifying(JWSAlgorithm.RS256, () -> new RSASSAVerifier(rsa));
        }
        if (key instanceof ECPublicKey ec && Curve.P_256.equals(Curve.forECParameterSpec(ec.getParams()))) {
            return verifying(JWSAlgorithm.ES256, () -> new ECDSAVerifier(ec));
        }
        if (key instanceof EdECPublicKey ed && ed.getParams().getName().equals("Ed25519")) {
            return new TokenKey(JWSAlgorithm.EdDSA, (input, signature) -> isSignedByEd25519(ed, input, signature));
        }
        throw PostriderException.refused("a public key must be RSA of " + SHORTEST_RSA
                + " bits at least, EC on P-256, or Ed25519, was " + key.getAlgorithm());
    }

    private interface Making {
        JWSVerifier make() throws JOSEException;
    }

    private static TokenKey verifying(JWSAlgorithm algorithm, Making making) {
        JWSVerifier verifier;
        try {
            verifier = making.make();
        } catch (JOSEException e) {
            throw PostriderException.refused("a key for " + algorithm + " was refused: " + e.getMessage());
        }
        JWSHeader header = new JWSHeader(algorithm);
        return new TokenKey(
                algorithm, (input, signature) -> verifier.verify(header, input, Base64URL.encode(signature)));
    }

    /** By the JDK: nimbus would want another library for it. */
    private static boolean isSignedByEd25519(EdECPublicKey key, byte[] input, byte[] signature)
            throws GeneralSecurityException {
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(key);
        verifier.update(input);
        return verifier.verify(signature);
    }

    String algorithm() {
        return algorithm.getName();
    }

    boolean isSecret() {
        return algorithm.equals(JWSAlgorithm.HS256);
    }

    /** Whatever the signature is made of, the answer is yes or no. */
    boolean isSigned(byte[] input, byte[] signature) {
        try {
            return check.isSigned(input, signature);
        } catch (JOSEException | GeneralSecurityException | RuntimeException e) {
            return false;
        }
    }
}
