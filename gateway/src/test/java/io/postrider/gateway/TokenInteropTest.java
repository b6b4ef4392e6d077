package io.postrider.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.postrider.PostriderException;
import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.junit.jupiter.api.Test;

/** Tokens of another implementation are accepted here, and ours there. */
class TokenInteropTest {
    private static final byte[] SECRET =
            "0123456789abcdef0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    private static final Tokens TOKENS = Tokens.of("issuer", "audience");

    @Test
    void a_token_of_the_other_implementation_is_accepted_for_each_algorithm_that_it_has() throws Exception {
        KeyPair rsa = pair("RSA", 2048);
        KeyPair ec = pair("EC", 256);
        for (int i = 0; i < 20; i++) { // the halves of an ECDSA signature have leading zeros now and then
            assertThat(TOKENS.withPublicKey("k", ec.getPublic())
                            .verify(signed(JWSAlgorithm.ES256, new ECDSASigner((ECPrivateKey) ec.getPrivate()))))
                    .extracting(Identity::subject)
                    .isEqualTo("ann");
        }
        assertThat(TOKENS.withPublicKey("k", rsa.getPublic())
                        .verify(signed(JWSAlgorithm.RS256, new RSASSASigner(rsa.getPrivate())))
                        .project())
                .isEqualTo("shop");
        assertThat(TOKENS.withSecret("k", SECRET)
                        .verify(signed(JWSAlgorithm.HS256, new MACSigner(SECRET)))
                        .reach())
                .isEqualTo(Identity.Reach.PROJECT);
    }

    @Test
    void a_minted_token_is_accepted_by_the_other_implementation_with_every_claim() throws Exception {
        String token = TokenMint.of("issuer", "audience", "k", SECRET)
                .issue("ann", "shop", Identity.Reach.PROJECT, Duration.ofMinutes(5), "t-1");
        SignedJWT parsed = SignedJWT.parse(token);
        assertThat(parsed.verify(new MACVerifier(SECRET))).isTrue();
        assertThat(parsed.getHeader().getKeyID()).isEqualTo("k");
        JWTClaimsSet claims = parsed.getJWTClaimsSet();
        assertThat(claims.getIssuer()).isEqualTo("issuer");
        assertThat(claims.getAudience()).containsExactly("audience");
        assertThat(claims.getSubject()).isEqualTo("ann");
        assertThat(claims.getStringClaim("project")).isEqualTo("shop");
        assertThat(claims.getStringClaim("reach")).isEqualTo("project");
        assertThat(claims.getJWTID()).isEqualTo("t-1");
        assertThat(Duration.between(
                        claims.getIssueTime().toInstant(),
                        claims.getExpirationTime().toInstant()))
                .isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void a_key_with_a_point_beside_its_curve_is_refused() throws Exception {
        ECPublicKey key = (ECPublicKey) pair("EC", 256).getPublic();
        ECPoint beside =
                new ECPoint(key.getW().getAffineX(), key.getW().getAffineY().xor(BigInteger.ONE));
        PublicKey wrong = KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(beside, key.getParams()));
        assertThatThrownBy(() -> TOKENS.withPublicKey("k", wrong))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("P-256");
    }

    private static String signed(JWSAlgorithm algorithm, JWSSigner signer) throws Exception {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(algorithm).keyID("k").build(),
                new JWTClaimsSet.Builder()
                        .issuer("issuer")
                        .audience("audience")
                        .subject("ann")
                        .claim("project", "shop")
                        .claim("reach", "project")
                        .expirationTime(Date.from(Instant.now().plusSeconds(60)))
                        .build());
        token.sign(signer);
        return token.serialize();
    }

    private static KeyPair pair(String algorithm, int size) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(size);
        return generator.generateKeyPair();
    }
}
