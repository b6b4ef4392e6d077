package io.postrider.internal.doctor;

import io.postrider.PostriderException;
import io.postrider.admin.Doctor;
import io.postrider.admin.Finding;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import io.postrider.internal.doctor.jobs.DeadJobs;
import io.postrider.internal.doctor.jobs.OrphanedClaims;
import io.postrider.internal.doctor.jobs.SkippedSchedules;
import io.postrider.internal.doctor.jobs.StuckQueues;
import io.postrider.internal.doctor.jobs.UnattendedJobs;
import io.postrider.internal.doctor.progress.EventLogState;
import io.postrider.internal.doctor.progress.FailingListeners;
import io.postrider.internal.doctor.progress.LockHolders;
import io.postrider.internal.doctor.progress.OpenEmitters;
import io.postrider.internal.doctor.progress.PositionCounters;
import io.postrider.internal.doctor.progress.SequencingHealth;
import io.postrider.internal.doctor.progress.UnsequencedEvents;
import io.postrider.internal.doctor.retention.RetentionHolders;
import io.postrider.internal.doctor.retention.SegmentSupply;
import io.postrider.internal.doctor.rights.EmitRights;
import io.postrider.internal.doctor.rights.EnqueueRights;
import io.postrider.internal.doctor.rights.MigrateRights;
import io.postrider.internal.doctor.rights.NodeRights;
import io.postrider.internal.doctor.rights.ProducerObjects;
import io.postrider.internal.doctor.schema.Persistence;
import io.postrider.internal.doctor.schema.SchemaVersion;
import io.postrider.internal.doctor.schema.SearchPath;
import io.postrider.internal.doctor.schema.SequenceCache;
import io.postrider.internal.doctor.server.Autovacuum;
import io.postrider.internal.doctor.server.ClusterIdentity;
import io.postrider.internal.doctor.server.Encoding;
import io.postrider.internal.doctor.server.NotifyQueue;
import io.postrider.internal.doctor.server.Pooler;
import io.postrider.internal.doctor.server.PreparedTransactions;
import io.postrider.internal.doctor.server.Primary;
import io.postrider.internal.doctor.server.RoleSettings;
import io.postrider.internal.doctor.server.ServerVersion;
import io.postrider.internal.doctor.server.VacuumHorizon;
import io.postrider.internal.doctor.server.WakeUp;
import io.postrider.internal.schema.Migrator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/** Runs every check, one after the other. Checks are read-only, and none stops the others. Thread-safe. */
public final class JdbcDoctor implements Doctor {
    private static final List<Check> CHECKS = List.of(
            new ServerVersion(),
            new Primary(),
            new Encoding(),
            new SchemaVersion(),
            new EmitRights(),
            new EnqueueRights(),
            new NodeRights(),
            new MigrateRights(),
            new ProducerObjects(),
            new SearchPath(),
            new SequenceCache(),
            new Pooler(),
            new WakeUp(),
            new NotifyQueue(),
            new RoleSettings(),
            new PreparedTransactions(),
            new Persistence(),
            new ClusterIdentity(),
            new Autovacuum(),
            new SegmentSupply(),
            new LockHolders(),
            new UnsequencedEvents(),
            new PositionCounters(),
            new OpenEmitters(),
            new VacuumHorizon(),
            new RetentionHolders(),
            new FailingListeners(),
            new UnattendedJobs(),
            new StuckQueues(),
            new OrphanedClaims(),
            new DeadJobs(),
            new SkippedSchedules(),
            new EventLogState());

    private final Database database;
    private final DataSource direct;
    private final Duration keep;

    /**
     * @param direct the source of the connection that a node keeps open
     * @param keep how long events are kept
     */
    public JdbcDoctor(Database database, DataSource direct, Duration keep) {
        this.database = database;
        this.direct = direct;
        this.keep = keep;
    }

    @Override
    public void examine(BiConsumer<String, Finding> to) {
        Database unlimited = database.unlimited(); // each check sets its own limits
        unlimited.autocommit(session -> {
            CheckContext examination = new CheckContext(unlimited, session, direct, keep);
            boolean installed = isInstalled(session);
            CHECKS.stream()
                    .filter(check -> installed || !check.needsSchema())
                    .forEach(check -> look(check, examination).forEach(found -> to.accept(check.name(), found)));
            return true;
        });
    }

    @Override
    public Optional<String> sequencingTrouble() {
        return database.autocommit(SequencingHealth::trouble);
    }

    private static boolean isInstalled(Session session) {
        try {
            return Migrator.version(session).isPresent();
        } catch (PostriderException e) {
            return true; // installed, but not readable by this role; the checks of rights report it
        }
    }

    private static List<Finding> look(Check check, CheckContext examination) {
        try {
            return check.look(examination);
        } catch (PostriderException e) {
            String text = "the check failed: " + e.getMessage();
            // If the role lacks privileges, that is reported by the checks of rights.
            return List.of(
                    check.isVital() && !SqlState.isForbidden(SqlState.of(e))
                            ? Finding.fail(text, "see the PostgreSQL log; events may get no position")
                            : Finding.warn(text, ""));
        }
    }
}
