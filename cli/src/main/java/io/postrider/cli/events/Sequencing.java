package io.postrider.cli.events;

import io.postrider.PostriderException;
import io.postrider.admin.Log;
import io.postrider.cli.terminal.ExitCode;
import java.util.function.Consumer;

/** Gives positions to committed events from a command, so that it sees them even if no node is running. */
public final class Sequencing {
    private Sequencing() {}

    /**
     * Gives positions to the events that are committed now. Returns whether the role may do that.
     *
     * @param say receives the reason if not
     */
    public static boolean catchUp(Log log, Consumer<String> say) {
        try {
            log.sequence();
            return true;
        } catch (PostriderException e) {
            if (e.sqlState().equals(ExitCode.DENIED)) {
                say.accept(
                        "this role may not assign positions; new events appear when a node has assigned their positions");
                return false;
            }
            throw e;
        }
    }
}
