package io.postrider.internal.watch;

import io.postrider.CodedException;
import org.jspecify.annotations.Nullable;

/** The code of a failure as it is stored and logged: the one that the handler gave, or else the name of the exception's class. */
public final class ErrorCode {
    private static final int LONGEST = 100;

    /** Causes can form a circle. */
    private static final int DEEPEST = 20;

    private ErrorCode() {}

    public static String of(Throwable error) {
        @Nullable Throwable one = error;
        for (int depth = 0; one != null && depth < DEEPEST; depth++) {
            if (one instanceof CodedException coded) {
                return coded.code();
            }
            one = one.getCause();
        }
        String name = error.getClass().getSimpleName();
        if (name.isEmpty()) { // an anonymous class
            String full = error.getClass().getName();
            name = full.substring(full.lastIndexOf('.') + 1);
        }
        String clean = name.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= LONGEST ? clean : clean.substring(0, LONGEST);
    }
}
