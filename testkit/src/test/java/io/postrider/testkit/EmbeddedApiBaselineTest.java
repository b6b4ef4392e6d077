package io.postrider.testkit;

import io.postrider.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The API of the module embedded, which has no tests of its own: this module stands on it. */
@Tag("once")
class EmbeddedApiBaselineTest {
    private final PublicApi api = PublicApi.beside(EmbeddedPostgres.class);

    @Test
    void the_public_api_is_the_one_that_is_listed() throws IOException {
        api.isListedIn(Path.of("../embedded/api/postrider-embedded.txt"));
    }

    @Test
    void no_public_signature_mentions_an_internal_type() {
        api.mentionsNothingInternal();
    }
}
