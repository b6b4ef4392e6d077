package io.postrider.cli;

import io.postrider.PostriderException;
import io.postrider.db.SqlState;

/** Exit codes: the same for every command, so that scripts can tell what to do next. */
final class Exit {
    static final int OK = 0;
    static final int FAILURE = 1;
    static final int USAGE = 2;
    static final int NOT_FOUND = 3;
    static final int CONFLICT = 4;
    static final int UNREACHABLE = 5;

    private static final String DENIED = "42501";

    private Exit() {}

    static int of(PostriderException e) {
        return switch (e.kind()) {
            // The database denied the role a privilege, so the arguments are not at fault.
            case REFUSED -> SqlState.of(e).equals(DENIED) ? FAILURE : USAGE;
            case NOT_FOUND -> NOT_FOUND;
            case CONFLICT -> CONFLICT;
            case UNREACHABLE -> UNREACHABLE;
            case FAILED -> isLogin(SqlState.of(e)) ? UNREACHABLE : FAILURE;
        };
    }

    /** Password, role or database are wrong: the server answers, but the database cannot be reached like this. */
    static boolean isLogin(String state) {
        return state.startsWith("28") || state.equals("3D000");
    }
}
