package io.postrider.doctor;

import io.postrider.PostriderException;
import io.postrider.db.Database;
import io.postrider.db.Session;
import io.postrider.db.SqlState;
import io.postrider.schema.Migrator;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

/** Goes through all checks, one after the other; each only reads, and none can stop the others. */
public final class Doctor {
    private static final List<Check> CHECKS = List.of(
            new ServerVersion(),
            new Primary(),
            new Encoding(),
            new SchemaVersion(),
            new RightsToEmit(),
            new RightsToEnqueue(),
            new RightsOfANode(),
            new RightsToMigrate(),
            new SearchPath(),
            new SequenceCache(),
            new Pooler(),
            new WakeUp(),
            new NotifyQueue(),
            new RoleSettings(),
            new PreparedTransactions(),
            new Persistence(),
            new Autovacuum(),
            new Segments(),
            new Locks(),
            new Unsequenced(),
            new Counters(),
            new OpenEmitters(),
            new VacuumHorizon(),
            new RetentionHolders(),
            new ListenersInTrouble(),
            new UnattendedJobs(),
            new StuckQueues(),
            new UndoneClaims(),
            new DeadJobs(),
            new SkippedSchedules(),
            new EventLogState());

    private final Database database;
    private final DataSource direct;
    private final Duration keep;

    public Doctor(Database database, DataSource direct, Duration keep) {
        this.database = database;
        this.direct = direct;
        this.keep = keep;
    }

    /** Gives each finding, with the name of its check, as soon as it is there. */
    public void examine(BiConsumer<String, Finding> to) {
        database.autocommit(session -> {
            Examination examination = new Examination(database, session, direct, keep);
            boolean installed = isInstalled(session);
            CHECKS.stream()
                    .filter(check -> installed || !check.needsSchema())
                    .forEach(check -> look(check, examination).forEach(found -> to.accept(check.name(), found)));
            return true;
        });
    }

    private static boolean isInstalled(Session session) {
        try {
            return Migrator.version(session).isPresent();
        } catch (PostriderException e) {
            return true; // there, but closed to this role: the checks of rights say so
        }
    }

    private static List<Finding> look(Check check, Examination examination) {
        try {
            return check.look(examination);
        } catch (PostriderException e) {
            String text = "could not look: " + e.getMessage();
            // A role without the rights is told so by the checks of rights.
            return List.of(
                    check.isVital() && !SqlState.isForbidden(SqlState.of(e))
                            ? Finding.fail(text, "see the PostgreSQL log; events may get no position")
                            : Finding.warn(text, ""));
        }
    }
}
