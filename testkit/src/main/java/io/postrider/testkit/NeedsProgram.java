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
 * Says which programs of the machine a test needs. It is skipped only where {@code ./test} could not install one and has
 * said so ({@code -Dpostrider.test.missing}); otherwise it runs, and fails if the program is not there. A test that skips
 * itself in silence proves nothing for years.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsProgram.Condition.class)
public @interface NeedsProgram {

    /** Names as in {@code pgbouncer}, {@code pg_dump}. */
    String[] value();

    /** Behind the annotation. */
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
