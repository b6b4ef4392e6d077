package io.postrider.internal.listen;

import io.postrider.internal.db.Database;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.LogReader;
import io.postrider.internal.watch.Reports;
import java.util.concurrent.ExecutorService;

/** Shared by all listeners of a node. */
record NodeServices(Database database, Heads heads, LogReader reader, ExecutorService threads, Reports reports) {
    String name() {
        return reports.node();
    }
}
