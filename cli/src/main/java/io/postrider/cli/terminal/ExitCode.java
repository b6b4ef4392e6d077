package io.postrider.cli.terminal;

import io.postrider.PostriderException;

/** Exit codes: the same for every command, so that scripts can tell what to do next. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int FAILURE = 1;
    public static final int USAGE = 2;
    public static final int NOT_FOUND = 3;
    public static final int CONFLICT = 4;
    public static final int UNREACHABLE = 5;

    /** The SQLSTATE of a missing privilege. */
    public static final String DENIED = "42501";

    private ExitCode() {}

    public static int of(PostriderException e) {
        return switch (e.kind()) {
            // The database denied the role a privilege, so the arguments are not at fault.
            case REFUSED -> e.sqlState().equals(DENIED) ? FAILURE : USAGE;
            case NOT_FOUND -> NOT_FOUND;
            case CONFLICT -> CONFLICT;
            case UNREACHABLE -> UNREACHABLE;
            case FAILED -> isLogin(e.sqlState()) ? UNREACHABLE : FAILURE;
        };
    }

    /** Password, role or database are wrong: the server answers, but the database cannot be reached like this. */
    static boolean isLogin(String state) {
        return state.startsWith("28") || state.equals("3D000");
    }
}
