package io.postrider.internal.work;

import io.postrider.internal.claim.OpenClaims;
import io.postrider.internal.claim.WorkerRegistration;
import io.postrider.internal.db.Database;
import io.postrider.internal.log.Heads;
import io.postrider.internal.settle.Settler;
import io.postrider.internal.watch.Reports;
import java.util.concurrent.ExecutorService;

/**
 * Shared by the queues of one node.
 *
 * @param threads run the loops of the queues, their readers and the handlers
 */
record NodeContext(
        Database database, Heads heads, Reports reports, ExecutorService threads, Settler settler, Claiming claiming) {
    /** The state that queues of one node must agree on when they claim. */
    record Claiming(WorkerRegistration registration, OpenClaims openClaims, ExclusiveRun exclusive) {}
}
