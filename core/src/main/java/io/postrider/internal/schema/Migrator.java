package io.postrider.internal.schema;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.Migrations.Done;
import io.postrider.admin.Migrations.Statement;
import io.postrider.internal.db.Bind;
import io.postrider.internal.db.Database;
import io.postrider.internal.db.Session;
import io.postrider.internal.db.Sql;
import io.postrider.internal.db.SqlState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema to the version that this code needs. Everything happens in one transaction, under a lock, so that many nodes
 * may try at the same time and a failure leaves nothing behind. Tables come from numbered files that never change after their
 * release; functions and views are replaced whenever their text differs or a table was changed.
 */
public final class Migrator {
    private static final Logger log = LoggerFactory.getLogger(Migrator.class);

    /** The files under {@code schema/}, in order; the version is the number in the name. */
    public static final List<String> MIGRATIONS = List.of(
            "V001__log",
            "V002__jobs",
            "V003__relays",
            "V004__event_log",
            "V005__domains",
            "V006__listener_names",
            "V007__rights",
            "V008__bad_rows",
            "V009__progress_checks",
            "V010__signatures",
            "V011__held_jobs",
            "V012__claim_times",
            "V013__adoption",
            "V014__shadow",
            "V015__error_codes",
            "V016__filters_and_leases",
            "V017__inserted_rows");

    /** The files under {@code functions/} and {@code views/}, in the order in which they are created. */
    public static final List<String> FUNCTIONS = List.of(
            "functions/refuse_incomplete",
            "functions/require",
            "functions/emit",
            "functions/new_job_id",
            "functions/lock_unique_keys",
            "functions/enqueue",
            "functions/fresh",
            "functions/find",
            "functions/place",
            "functions/tail_position",
            "functions/promise",
            "functions/backlogged",
            "functions/drain",
            "functions/cluster_identity",
            "functions/next_number",
            "functions/era_change",
            "functions/open_era",
            "functions/sequence",
            "functions/read",
            "functions/is_of_log",
            "functions/stands_at",
            "functions/is_in_mode",
            "functions/deliver",
            "functions/record_shadow",
            "functions/forget_shadow",
            "functions/set_shadow",
            "functions/ask_for_shadow",
            "functions/enter_shadow",
            "functions/go_live",
            "functions/mark_listener",
            "functions/clear_setback",
            "functions/start_filter",
            "functions/lanes",
            "functions/is_at_work",
            "functions/is_present",
            "functions/open_claims",
            "functions/open_keys",
            "functions/crowd",
            "functions/held",
            "functions/free_jobs",
            "functions/begun",
            "functions/allowance",
            "functions/sign",
            "functions/live_workers",
            "functions/works_on",
            "functions/claimed",
            "functions/claim",
            "functions/claim_delayed",
            "functions/mark_job",
            "functions/may_settle",
            "functions/settle",
            "functions/finish_delayed",
            "functions/release_unique",
            "functions/forget_cancelled",
            "functions/forget_progress",
            "functions/drop_cancelled",
            "functions/bury_bad",
            "functions/put_aside",
            "functions/delay_again",
            "functions/hand_over",
            "functions/give_back",
            "functions/leave",
            "functions/try_hand_over",
            "functions/hand_over_next",
            "functions/hand_over_undone",
            "functions/waiting",
            "functions/replay_job",
            "functions/ask_to_cancel",
            "functions/cancel",
            "functions/make_segments",
            "functions/close_segments",
            "functions/let_go_of_jobs",
            "functions/empty_segments",
            "functions/shorten_claims",
            "functions/tidy_jobs",
            "functions/mend_times",
            "functions/shorten_ledgers",
            "functions/drop_segments",
            "functions/reader_role",
            "functions/make_reader",
            "functions/enter",
            "functions/intruders",
            "functions/end_intruders",
            "functions/make_event_log",
            "functions/forget_event_log",
            "functions/unpositioned",
            "functions/adopted_event_id",
            "functions/adopt_json",
            "functions/adopt_time",
            "functions/adopt_convert",
            "functions/adopt_bridge",
            "functions/adopt_unfinished",
            "functions/adopt_order",
            "functions/adopt_pending",
            "functions/adopt_has_rows",
            "functions/adopt_check",
            "functions/adopt_import",
            "functions/adopt_release",
            "functions/adopt_cursor",
            "functions/adopt_done_to",
            "functions/adopt_write_back",
            "functions/adopt_mirror_events",
            "functions/adopt_trigger",
            "functions/adopt_attach",
            "functions/adopt_lock",
            "functions/adopt_statements",
            "views/events",
            "views/listeners",
            "views/relays",
            "views/dead_letters",
            "views/dead_letters_in_reach",
            "views/event_status",
            "functions/lease_of",
            "functions/lease_until",
            "functions/queue_names",
            "views/jobs",
            "views/jobs_in_reach",
            "views/queues",
            "views/outbox_listeners",
            "views/outbox_dead_letters",
            "views/event_outbox",
            "views/job_outbox",
            "functions/adopt_mirror_jobs",
            "functions/adopt_status");

    private static final Sql APPLIED =
            Sql.text("schema/applied", "select m.version, m.digest from postrider.migration m order by m.version");
    private static final Sql INSTALLED =
            Sql.text("schema/installed", "select to_regclass('postrider.migration') is not null as installed");
    private static final Sql RECORD = Sql.text(
            "schema/record_migration",
            "insert into postrider.migration (version, name, digest) values (:version, :name, :digest)"
                    + " on conflict (version) do update set digest = excluded.digest, applied_at = clock_timestamp()");
    private static final Sql PAYLOAD_CAP = Sql.file("schema/payload_cap");
    private static final Sql CACHE = Sql.text(
            "schema/sequence_cache",
            "select s.seqcache as cache from pg_sequence s where s.seqrelid = 'postrider.event_ids'::regclass");
    private static final Sql MAKE_SEGMENTS =
            Sql.text("schema/make_segments", "select postrider.make_segments(:log_size, :ledger_size) as made");

    private static final Sql MAKE_EVENT_LOG = Sql.text(
            "schema/make_event_log", "select postrider.make_event_log() as made, postrider.make_reader() as hindrance");

    /** The version number of the row that holds the digest of functions and views. */
    private static final int FUNCTIONS_VERSION = 0;

    private static final long LEDGER_SIZE = 1_000_000;

    private final Database database;
    private final MigrationLock lock;
    private final MigrationRetries retries;

    public Migrator(Database database) {
        this(database, new MigrationLock(MigrationLock.PATIENCE), new MigrationRetries(MigrationRetries.PATIENCE));
    }

    Migrator(Database database, MigrationLock lock, MigrationRetries retries) {
        this.database = database;
        this.lock = lock;
        this.retries = retries;
    }

    /**
     * Brings the schema up to date. A schema that is up to date is not locked, so the start of a node waits for no other session.
     *
     * @param exactly whether to set exactly this payload cap. If not, an existing cap is raised but never lowered, so that a node
     *     with a smaller cap does not restrict the others
     */
    public Done migrate(long segmentSize, int payloadCap, boolean exactly) {
        return retries.run(database, session -> {
            DatabaseCheck.requireServer(session, database.schema());
            Done done = isCurrent(session, payloadCap, exactly)
                    ? new Done(List.of(), false)
                    : update(session, payloadCap, exactly);
            if (done.isNothing()) {
                tryMakeAhead(session, segmentSize);
            } else {
                makeAhead(session, segmentSize);
            }
            log.info(
                    "migrated schema={} applied={} functions_replaced={}",
                    database.schema().text(),
                    done.applied(),
                    done.functionsReplaced());
            return done;
        });
    }

    private static boolean isCurrent(Session session, int payloadCap, boolean exactly) {
        int there = version(session).orElse(0);
        if (there > MIGRATIONS.size()) { // an application that was rolled back: its schema and functions stay
            refuseNewer(session, there);
            return true;
        }
        return there == MIGRATIONS.size()
                && applied(session).contains(new Applied(FUNCTIONS_VERSION, digest(functions())))
                && !isOtherCap(session, payloadCap, exactly);
    }

    private Done update(Session session, int payloadCap, boolean exactly) {
        lock.take(session);
        MigrationRetries.limit(session);
        List<Integer> applied = applyMissing(session);
        boolean replaced = replaceFunctions(session, !applied.isEmpty());
        capPayloads(session, payloadCap, exactly || applied.contains(1));
        return new Done(applied, replaced);
    }

    private static void makeAhead(Session session, long segmentSize) {
        session.query(
                MAKE_SEGMENTS,
                bind -> bind.int8("log_size", segmentSize).int8("ledger_size", LEDGER_SIZE),
                row -> true);
        makeEventLog(session);
    }

    /**
     * Gives up after a short wait: a dump may lock the tables for hours, and every statement would queue behind this one. Nodes
     * try again every 2 s.
     */
    private static void tryMakeAhead(Session session, long segmentSize) {
        session.script("make_ahead", "savepoint make_ahead; set local lock_timeout = '200ms'");
        try {
            makeAhead(session, segmentSize);
        } catch (PostriderException e) {
            if (!SqlState.isLocked(SqlState.of(e))) {
                throw e;
            }
            session.script("make_ahead", "rollback to savepoint make_ahead");
        }
    }

    /** Runs every time, because a role belongs to the cluster and may be missing after a restore. */
    private static void makeEventLog(Session session) {
        session.query(MAKE_EVENT_LOG, Bind::nothing, row -> {
            String hindrance = row.textOrNull("hindrance");
            if (hindrance != null) {
                log.warn(
                        "event_log_without_reader reason=\"{}\" reads of the event log may be refused; run `postrider doctor`",
                        hindrance);
            }
            return true;
        });
    }

    private List<Integer> applyMissing(Session session) {
        int there = version(session).orElse(0);
        refuseNewer(session, there);
        List<Integer> applied = new ArrayList<>();
        for (String name : MIGRATIONS.subList(there, MIGRATIONS.size())) {
            int version = versionOf(name);
            String script = Sql.resource("schema/" + name + ".sql");
            script(session, name, script);
            record(session, version, name, digest(List.of(script)));
            Compatibility.record(session, version, script);
            applied.add(version);
        }
        return applied;
    }

    /** Names what depends on an object that the script changes, such as a view of the user: only its owner knows what it is for. */
    private static void script(Session session, String name, String script) {
        try {
            session.script(name, script);
        } catch (PostriderException e) {
            String dependants = SqlState.dependantsOf(e);
            if (dependants.isEmpty()) {
                throw e;
            }
            throw new PostriderException(
                    Kind.CONFLICT,
                    e.getMessage() + ": " + dependants
                            + "; the migration changed nothing. Drop what depends on it, migrate, and create it again",
                    e);
        }
    }

    /**
     * @param atAnyRate whether to replace them even if their text is the same: a migration may have changed a view, to change a
     *     table
     */
    private boolean replaceFunctions(Session session, boolean atAnyRate) {
        List<String> scripts = functions();
        String digest = digest(scripts);
        Applied current = new Applied(FUNCTIONS_VERSION, digest);
        if (!atAnyRate && applied(session).contains(current)) {
            return false;
        }
        for (int i = 0; i < scripts.size(); i++) {
            script(session, FUNCTIONS.get(i), scripts.get(i));
        }
        record(session, FUNCTIONS_VERSION, "functions and views", digest);
        return true;
    }

    private static List<String> functions() {
        return FUNCTIONS.stream().map(name -> Sql.resource(name + ".sql")).toList();
    }

    private static boolean isOtherCap(Session session, int cap, boolean exactly) {
        long there =
                session.one(PAYLOAD_CAP, Bind::nothing, row -> row.int8("cap")).orElse(-1L);
        return cap > there || (exactly && cap != there);
    }

    /**
     * The constraint is NOT VALID: the cap applies to new payloads. Checking existing rows would take long, and would prevent a
     * lower cap.
     */
    private static void capPayloads(Session session, int cap, boolean exactly) {
        if (isOtherCap(session, cap, exactly)) {
            session.script(
                    "payload_cap",
                    "alter domain postrider.event_payload drop constraint payload_is_under_the_cap;"
                            + " alter domain postrider.event_payload add constraint payload_is_under_the_cap"
                            + " check (octet_length(value::text) <= " + cap + ") not valid");
        }
    }

    /** Refuses a schema that this code does not support. */
    public static void requireCurrent(Session session) {
        int there = version(session)
                .orElseThrow(() -> new PostriderException(
                        Kind.CONFLICT,
                        "the schema does not exist; run `postrider migrate`, or call Postrider.migrate()"));
        refuseNewer(session, there);
        if (there < MIGRATIONS.size()) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "the schema has version " + there + ", this Postrider needs " + MIGRATIONS.size()
                            + "; run `postrider migrate`");
        }
        refuseCache(session);
    }

    /** With a larger cache, a session uses low numbers late, and two events of one key swap places. */
    private static void refuseCache(Session session) {
        long cache = session.one(CACHE, Bind::nothing, row -> row.int8("cache")).orElse(0L);
        if (cache != 1) {
            throw new PostriderException(
                    Kind.CONFLICT,
                    "sequence event_ids has cache " + cache + ", so events of one key could be reordered;"
                            + " run `alter sequence event_ids cache 1` in the schema of the log");
        }
    }

    private static void refuseNewer(Session session, int there) {
        Compatibility.refuseNewer(session, there, MIGRATIONS.size());
    }

    /** The statements that {@link #migrate} would run, with the placeholder of the schema. */
    static List<Statement> missing(Session session) {
        int there = version(session).orElse(0);
        refuseNewer(session, there);
        List<Statement> statements = new ArrayList<>();
        for (String name : MIGRATIONS.subList(Math.min(there, MIGRATIONS.size()), MIGRATIONS.size())) {
            for (String text : ScriptStatements.of(Sql.resource("schema/" + name + ".sql"))) {
                statements.add(new Statement(name, text, ScriptStatements.locks(text)));
            }
        }
        boolean replaced = there == 0
                || there <= MIGRATIONS.size()
                        && (!statements.isEmpty()
                                || !applied(session).contains(new Applied(FUNCTIONS_VERSION, digest(functions()))));
        if (replaced) {
            for (String name : FUNCTIONS) {
                String text = ScriptStatements.of(Sql.resource(name + ".sql")).get(0);
                String first = text.lines().findFirst().orElse(text);
                statements.add(new Statement(name, first, ScriptStatements.locks(first)));
            }
        }
        return statements;
    }

    /** The version of the schema, if it is installed. */
    public static Optional<Integer> version(Session session) {
        return isInstalled(session)
                ? applied(session).stream().map(Applied::version).max(Integer::compare)
                : Optional.empty();
    }

    /** The longest payload in bytes that the schema accepts. */
    static Optional<Integer> payloadCap(Session session) {
        return session.one(PAYLOAD_CAP, Bind::nothing, row -> row.int8("cap")).map(Long::intValue);
    }

    static boolean isInstalled(Session session) {
        return session.one(INSTALLED, Bind::nothing, row -> row.bool("installed"))
                .orElse(false);
    }

    private static List<Applied> applied(Session session) {
        return session.query(APPLIED, Bind::nothing, row -> new Applied(row.int4("version"), row.text("digest")));
    }

    private static void record(Session session, int version, String name, String digest) {
        session.update(
                RECORD, bind -> bind.int4("version", version).text("name", name).text("digest", digest));
    }

    private static int versionOf(String name) {
        return Integer.parseInt(name.substring(1, 4));
    }

    private static String digest(List<String> texts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            texts.forEach(text -> digest.update(text.getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Applied(int version, String digest) {}
}
