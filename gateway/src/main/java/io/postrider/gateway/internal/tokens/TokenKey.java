package io.postrider.gateway.internal.tokens;

import io.postrider.PostriderException;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key with its only algorithm, verified by the JDK. The algorithm is never taken from the token: an attacker would choose HS256
 * with our public RSA key as the secret.
 */
public final class TokenKey {
    private static final int SHORTEST_SECRET = 32;
    private static final int SHORTEST_RSA = 2048;
    private static final int ES256_SIGNATURE = 64;

    private enum Algorithm {
        HS256,
        RS256,
        ES256,
        EdDSA
    }

    private final Algorithm algorithm;
    private final Check check;

    private TokenKey(Algorithm algorithm, Check check) {
        this.algorithm = algorithm;
        this.check = check;
    }

    private interface Check {
        boolean isSigned(byte[] input, byte[] signature) throws GeneralSecurityException;
    }

    public static TokenKey secret(byte[] secret) {
        if (secret.length < SHORTEST_SECRET) {
            throw PostriderException.refused("a secret for HS256 must have at least " + SHORTEST_SECRET + " bytes, had "
                    + secret.length + "; generate it randomly");
        }
        byte[] own = secret.clone();
        // isEqual takes the same time for every wrong signature
        return new TokenKey(Algorithm.HS256, (input, signature) -> MessageDigest.isEqual(hmac(own, input), signature));
    }

    public static TokenKey publicKey(PublicKey key) {
        if (key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() >= SHORTEST_RSA) {
            return new TokenKey(
                    Algorithm.RS256, (input, signature) -> isSigned("SHA256withRSA", rsa, input, signature));
        }
        if (key instanceof ECPublicKey ec && isOnP256(ec)) {
            return new TokenKey(
                    Algorithm.ES256,
                    (input, signature) -> isInRange(ec.getParams().getOrder(), signature)
                            && isSigned("SHA256withECDSAinP1363Format", ec, input, signature));
        }
        if (key instanceof EdECPublicKey ed && ed.getParams().getName().equals("Ed25519")) {
            return new TokenKey(Algorithm.EdDSA, (input, signature) -> isSigned("Ed25519", ed, input, signature));
        }
        throw PostriderException.refused("a public key must be RSA of at least " + SHORTEST_RSA
                + " bits, EC on P-256, or Ed25519, was " + key.getAlgorithm());
    }

    /** The signature of HS256. */
    public static byte[] hmac(byte[] secret, byte[] input) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        return mac.doFinal(input);
    }

    private static boolean isSigned(String algorithm, PublicKey key, byte[] input, byte[] signature)
            throws GeneralSecurityException {
        Signature verifier = Signature.getInstance(algorithm);
        verifier.initVerify(key);
        verifier.update(input);
        return verifier.verify(signature);
    }

    /** Whether both halves are in 1..order-1. JDKs 15 to 17.0.2 accept a signature of zeros for any token (CVE-2022-21449). */
    private static boolean isInRange(BigInteger order, byte[] signature) {
        if (signature.length != ES256_SIGNATURE) {
            return false;
        }
        BigInteger r = new BigInteger(1, Arrays.copyOfRange(signature, 0, ES256_SIGNATURE / 2));
        BigInteger s = new BigInteger(1, Arrays.copyOfRange(signature, ES256_SIGNATURE / 2, ES256_SIGNATURE));
        return r.signum() > 0 && r.compareTo(order) < 0 && s.signum() > 0 && s.compareTo(order) < 0;
    }

    /** Checks the curve and the point. The JDK accepts a key whose point is not on the curve, and then refuses every token. */
    private static boolean isOnP256(ECPublicKey key) {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec("secp256r1"));
            ECParameterSpec p256 = parameters.getParameterSpec(ECParameterSpec.class);
            ECParameterSpec its = key.getParams();
            return its.getCurve().equals(p256.getCurve())
                    && its.getGenerator().equals(p256.getGenerator())
                    && its.getOrder().equals(p256.getOrder())
                    && its.getCofactor() == p256.getCofactor()
                    && isPoint(p256, key.getW().getAffineX(), key.getW().getAffineY());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no P-256", e);
        }
    }

    /** y² = x³ + ax + b modulo p. */
    private static boolean isPoint(ECParameterSpec curve, BigInteger x, BigInteger y) {
        BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger right = x.multiply(x)
                .add(curve.getCurve().getA())
                .multiply(x)
                .add(curve.getCurve().getB());
        return x.signum() >= 0
                && x.compareTo(p) < 0
                && y.signum() >= 0
                && y.compareTo(p) < 0
                && y.multiply(y).mod(p).equals(right.mod(p));
    }

    public String algorithm() {
        return algorithm.name();
    }

    public boolean isSecret() {
        return algorithm == Algorithm.HS256;
    }

    /** Returns false for any malformed signature instead of throwing. */
    public boolean isSigned(byte[] input, byte[] signature) {
        try {
            return check.isSigned(input, signature);
        } catch (GeneralSecurityException | RuntimeException e) {
            return false;
        }
    }
}
