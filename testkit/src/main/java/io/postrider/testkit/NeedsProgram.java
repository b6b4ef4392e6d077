package io.postrider.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Declares the programs that a test needs. The test is skipped only if {@code ./test} could not install one and has reported it
 * ({@code -Dpostrider.test.missing}); otherwise it runs, and fails if the program is missing. A test that skips itself silently
 * proves nothing for years.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsProgram.Condition.class)
public @interface NeedsProgram {

    /** Names such as {@code pgbouncer}, {@code pg_dump}. */
    String[] value();

    /** The implementation of the annotation. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<String> missing = Arrays.asList(
                    System.getProperty("postrider.test.missing", "").split("[,\\s]+", -1));
            return AnnotationSupport.findAnnotation(context.getElement(), NeedsProgram.class).stream()
                    .flatMap(needs -> Arrays.stream(needs.value()))
                    .filter(missing::contains)
                    .findFirst()
                    .map(program -> ConditionEvaluationResult.disabled(program + " is not installed"))
                    .orElse(ConditionEvaluationResult.enabled("nothing is missing"));
        }
    }
}
