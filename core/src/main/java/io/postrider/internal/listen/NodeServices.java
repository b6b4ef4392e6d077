package io.postrider.internal.listen;

import io.postrider.admin.Watch;
import io.postrider.internal.db.Database;
import io.postrider.internal.log.Heads;
import io.postrider.internal.log.LogReader;
import java.util.concurrent.ExecutorService;

/** Shared by all listeners of a node. */
record NodeServices(
        Database database, Heads heads, LogReader reader, ExecutorService threads, String name, Watch watch) {}
