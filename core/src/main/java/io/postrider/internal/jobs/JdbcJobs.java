package io.postrider.internal.jobs;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.Reach;
import io.postrider.admin.Jobs;
import io.postrider.admin.WaitReason;
import io.postrider.internal.access.Scope;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Row;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import io.postrider.internal.threads.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs in the database. Thread-safe. */
public final class JdbcJobs implements Jobs {
    private static final Sql FIND = Sql.file("jobs/find");
    private static final Sql FIND_IN_REACH = inReach("find");
    private static final Sql LIST = Sql.file("jobs/list");
    private static final Sql LIST_WINDOW = Sql.file("jobs/list_window");
    private static final Sql LIST_IN_REACH = inReach("list");
    private static final Sql SEQUENCE = Sql.call("jobs/sequence", "select s.events from postrider.sequence(20000) s");
    private static final Sql UNPOSITIONED = Sql.file("jobs/unpositioned_job");
    private static final Sql WAITING = Sql.file("jobs/waiting");

    /** Maximum size of the payloads and results of one page. */
    private static final long BYTES = 8 << 20;

    /** Positions of each lane that one page scans, so that a page takes the same time however many jobs others have. */
    private static final int SCAN = 1_000;

    private static final Duration LONGEST_SEARCH = Duration.ofMillis(500);

    private static final Cursor LATEST = new Cursor(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    private static final List<String> LANES = List.of("high", "normal", "low");

    private final Database database;
    private final JobCommands commands;

    public JdbcJobs(Database database) {
        this.database = database;
        this.commands = new JobCommands(database);
    }

    static Status status(Row row) throws SQLException {
        Long progress = row.int8OrNull("progress");
        return new Status(
                row.uuid("id"),
                row.text("queue"),
                row.text("job_type"),
                row.text("priority"),
                State.valueOf(row.text("state")),
                row.instant("run_at"),
                row.int4("attempt_count"),
                row.textOrNull("locked_by"),
                row.instantOrNull("lease_expires_at"),
                row.textOrNull("last_error_code"),
                row.textOrNull("last_error_message"),
                row.instant("created_at"),
                row.instantOrNull("claimed_at"),
                row.instantOrNull("finished_at"),
                row.textOrNull("key"),
                row.textOrNull("project_id"),
                row.textOrNull("user_id"),
                row.text("payload"),
                row.textOrNull("result"),
                progress == null ? null : progress.intValue(),
                row.textOrNull("progress_note"),
                row.textOrNull("waits_for"),
                row.text("topic"),
                row.int8("position"),
                row.textOrNull("stack"));
    }

    @Override
    public Optional<Status> find(UUID id) {
        return read(id).or(() -> position(Reach.all(), id).flatMap(fresh -> read(id).or(() -> Optional.of(fresh))));
    }

    @Override
    public Optional<Status> find(Reach reach, UUID id) {
        return read(reach, id)
                .or(() -> position(reach, id).flatMap(fresh -> read(reach, id).or(() -> Optional.of(fresh))));
    }

    @Override
    public Optional<WaitReason> waiting(UUID id) {
        return read(id).or(() -> unpositioned(Reach.all(), id)).flatMap(this::waiting);
    }

    @Override
    public Optional<WaitReason> waiting(Status job) {
        return database.autocommit(session -> session.one(
                WAITING, bind -> bind.text("topic", job.topic()).int8("position", job.position()), WaitReasons::read));
    }

    private Optional<Status> read(Reach reach, UUID id) {
        return Scope.read(
                database, reach, session -> session.one(FIND_IN_REACH, bind -> bind.uuid("id", id), JdbcJobs::status));
    }

    /** The statement of a file, on the view that shows only jobs in reach. */
    private static Sql inReach(String file) {
        return Sql.text(
                "jobs/" + file + "_in_reach",
                Sql.resource("sql/jobs/" + file + ".sql").replace("postrider.jobs j", "postrider.jobs_in_reach j"));
    }

    private Optional<Status> read(UUID id) {
        return database.autocommit(session -> session.one(FIND, bind -> bind.uuid("id", id), JdbcJobs::status));
    }

    @Override
    public void sequence() {
        while (database.transaction(session -> {
                            session.script("sequence_patience", "set local lock_timeout = '2s'");
                            return session.one(SEQUENCE, Bind::nothing, row -> row.int8("events"));
                        })
                        .orElse(0L)
                > 0) {
            // repeat until nothing is left
        }
    }

    /** A committed job without a position. Also gives it one, unless another session holds the sequencing lock. */
    private Optional<Status> position(Reach reach, UUID id) {
        Optional<Status> committed = unpositioned(reach, id);
        if (committed.isPresent()) {
            try {
                sequence();
            } catch (PostriderException e) {
                if (!SqlState.isContention(SqlState.of(e))) {
                    throw e;
                }
            }
        }
        return committed;
    }

    private Optional<Status> unpositioned(Reach reach, UUID id) {
        return database.autocommit(session -> session.one(
                UNPOSITIONED,
                bind -> bind.uuid("id", id)
                        .text("reach", reach.kind().name().toLowerCase(Locale.ROOT))
                        .text("project", reach.project())
                        .text("user", reach.user()),
                JdbcJobs::status));
    }

    @Override
    public List<Status> list(String queue, @Nullable State state, int most) {
        List<Status> jobs = new ArrayList<>();
        @Nullable Cursor before = null;
        do {
            Wanted wanted = new Wanted(queue, state, before, most - jobs.size());
            List<Lane> lanes = lanes(wanted);
            Page page = database.transaction(session -> page(session, LIST, wanted, lanes, Long.MAX_VALUE));
            jobs.addAll(page.jobs());
            before = page.next();
        } while (before != null && jobs.size() < most);
        return jobs;
    }

    @Override
    public Page list(Reach reach, Wanted wanted) {
        return list(reach, wanted, BYTES);
    }

    @Override
    public Page list(Reach reach, Wanted wanted, long bytes) {
        Deadline deadline = Deadline.in(LONGEST_SEARCH);
        Page page = page(reach, wanted, bytes);
        while (page.jobs().isEmpty() && page.next() != null && !deadline.isPassed()) {
            page = page(reach, new Wanted(wanted.queue(), wanted.state(), page.next(), wanted.most()), bytes);
        }
        return page;
    }

    private Page page(Reach reach, Wanted wanted, long bytes) {
        List<Lane> lanes = lanes(wanted);
        return Scope.read(
                database, reach, session -> page(session, LIST_IN_REACH, wanted, lanes, Math.min(bytes, BYTES)));
    }

    /** The positions of a lane that a page scans; none if bottom is above top. */
    private record Lane(String topic, long top, long bottom, boolean more) {
        static Lane read(Row row) throws SQLException {
            Long bottom = row.int8OrNull("bottom");
            long top = row.int8("top");
            return new Lane(row.text("topic"), top, bottom == null ? top + 1 : bottom, row.bool("more"));
        }

        /** Where the next page begins, after a page that ended with the limit. */
        long after(List<Status> jobs) {
            return jobs.stream()
                    .filter(job -> job.topic().equals(topic))
                    .mapToLong(Status::position)
                    .min()
                    .orElse(top + 1);
        }

        /** Where the next page begins, after a page that has all jobs of the lane. */
        long behind() {
            return more ? bottom : 1;
        }
    }

    private List<Lane> lanes(Wanted wanted) {
        Cursor before = wanted.before() == null ? LATEST : wanted.before();
        return database.autocommit(session -> session.query(
                LIST_WINDOW,
                bind -> bind.text("queue", wanted.queue())
                        .int8("high", before.high())
                        .int8("normal", before.normal())
                        .int8("low", before.low())
                        .int8("scan", SCAN),
                Lane::read));
    }

    private static Page page(Session session, Sql sql, Wanted wanted, List<Lane> lanes, long bytes) {
        record Found(Status job, long behind) {}
        @Nullable State state = wanted.state();
        // a hash join would read the events of all jobs
        session.script("list_plan", "set local enable_hashjoin = off; set local enable_mergejoin = off");
        List<Found> found = session.query(
                sql,
                bind -> {
                    for (int i = 0; i < lanes.size(); i++) {
                        Lane lane = lanes.get(i);
                        bind.text(LANES.get(i) + "_topic", lane.topic())
                                .int8(LANES.get(i) + "_bottom", lane.bottom())
                                .int8(LANES.get(i) + "_top", lane.top());
                    }
                    bind.text("state", state == null ? null : state.name())
                            .int4("most", wanted.most())
                            .int8("bytes", bytes);
                },
                row -> new Found(status(row), row.int8("behind")));
        List<Status> jobs = found.stream().map(Found::job).toList();
        boolean cut = found.size() == wanted.most()
                || !found.isEmpty() && found.get(found.size() - 1).behind() > 0;
        if (!cut && lanes.stream().noneMatch(Lane::more)) {
            return new Page(jobs, null);
        }
        List<Long> next = lanes.stream()
                .map(lane -> cut ? lane.after(jobs) : lane.behind())
                .toList();
        return new Page(jobs, new Cursor(next.get(0), next.get(1), next.get(2)));
    }

    @Override
    public Cancelled cancel(UUID id, String reason) {
        return cancel(find(id).orElseThrow(() -> new PostriderException(Kind.NOT_FOUND, "no job " + id)), reason);
    }

    @Override
    public Cancelled cancel(Status job, String reason) {
        return commands.cancel(job, reason);
    }

    @Override
    public boolean retry(UUID id) {
        return find(id).map(this::retry).orElseGet(() -> commands.retryDead(id));
    }

    @Override
    public boolean retry(Status job) {
        return commands.retry(job.id(), job.topic(), job.position());
    }
}
