package io.postrider;

import io.postrider.testkit.PublicApi;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code core/api/postrider-core.txt} lists the public API; removing or changing a line of it breaks users. */
@Tag("once")
class ApiBaselineTest {
    private final PublicApi api = PublicApi.beside(Postrider.class);

    @Test
    void the_public_api_matches_the_baseline() throws IOException {
        api.isListedIn(Path.of("api/postrider-core.txt"));
    }

    @Test
    void no_public_signature_mentions_an_internal_type() {
        api.mentionsNothingInternal();
    }
}
