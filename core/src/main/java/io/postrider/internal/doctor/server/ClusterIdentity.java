package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.ArrayList;
import java.util.List;

/**
 * How nodes recognise that the database runs in another cluster or on another timeline. Some managed servers hide the system
 * identifier or the WAL position; what nodes use instead detects less, or costs more.
 */
public final class ClusterIdentity implements Check {
    private static final Sql IDENTITY = Sql.file("doctor/identity");

    private record Identity(boolean byOids, boolean byStartTime) {}

    @Override
    public String name() {
        return "cluster identity";
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        Identity identity = examination
                .one(IDENTITY, Bind::nothing, row -> new Identity(row.bool("by_oids"), row.bool("by_start_time")))
                .orElseThrow();
        List<Finding> findings = new ArrayList<>();
        if (identity.byOids()) {
            findings.add(
                    Finding.warn(
                            "the node's role may not call pg_control_system(), so the oids of the database and of table event identify"
                                    + " the cluster: a copy in a cluster with the same oids is not recognised unless its transaction"
                                    + " numbers are lower",
                            "grant execute on function pg_control_system() to the role of every node, if the server allows it"));
        }
        if (identity.byStartTime()) {
            findings.add(Finding.warn(
                    "the node's role may not call pg_current_wal_insert_lsn(), so the server's start time identifies the"
                            + " timeline: the first pass after every restart reads all events once",
                    "grant execute on function pg_current_wal_insert_lsn() to the role of every node, if the server allows"
                            + " it"));
        }
        return findings.isEmpty() ? List.of(Finding.ok("by system identifier and timeline")) : findings;
    }
}
