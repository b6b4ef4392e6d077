package io.postrider.cli;

import io.postrider.testkit.PublicApi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program: nobody compiles against it, so its API is not listed. */
@Tag("once")
class PublicSignaturesTest {
    @Test
    void no_public_signature_mentions_an_internal_type() {
        PublicApi.beside(Main.class).mentionsNothingInternal();
    }
}
