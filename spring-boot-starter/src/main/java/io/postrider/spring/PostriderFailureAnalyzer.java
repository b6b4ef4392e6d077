package io.postrider.spring;

import io.postrider.PostriderException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that Postrider refused in one sentence instead of a stack trace. */
final class PostriderFailureAnalyzer extends AbstractFailureAnalyzer<PostriderException> {
    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, PostriderException cause) {
        String action = switch (cause.kind()) {
            case REFUSED -> "Correct the setting named above.";
            case UNREACHABLE -> "Check that the database runs and can be reached from here.";
            case CONFLICT, NOT_FOUND -> "Follow the description; `postrider doctor` shows details.";
            case FAILED -> "`postrider doctor` shows details.";
        };
        return new FailureAnalysis("Postrider: " + cause.getMessage(), action, cause);
    }
}
