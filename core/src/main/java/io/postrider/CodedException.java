package io.postrider;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by the handler of a listener or a job: a failure with a code that programs can compare, such as {@code card_declined}. The
 * failure is handled like that of any other exception; the code is shown as {@code last_error_code} and logged as
 * {@code error_code}. The code is also found if another exception has this one as its cause.
 */
public final class CodedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    /**
     * Creates an exception.
     *
     * @param code letters, digits and {@code . _ : -}, at most 100 characters; {@code unreadable} and {@code unwritable} are
     *     reserved
     */
    public CodedException(String code, String message) {
        this(code, message, null);
    }

    /** The same with a cause. */
    public CodedException(String code, String message, @Nullable Throwable cause) {
        super(Refuse.missing("error message", message), cause);
        this.code = Refuse.unlessErrorCode(code);
    }

    /** The code. */
    public String code() {
        return code;
    }
}
