package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.choice;
import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.integer;
import static io.postrider.server.openapi.Schema.list;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;
import static io.postrider.server.openapi.Schema.time;
import static io.postrider.server.openapi.Schema.uuid;

/** Jobs: as they are enqueued, their state, and their outcome. */
public final class JobSchemas {
    public static final Schema STATE = choice("PENDING", "IN_PROGRESS", "DONE", "FAILED", "CANCELLED");

    public static final Schema NEW_JOB = object("NewJob")
            .mayHave("id", uuid().described("Only for tokens with reach all; for others the server assigns it."))
            .has("type", text())
            .has("payload", CommonSchemas.JSON_VALUE)
            .mayHave("run_at", time().described("The job does not start before this time."))
            .mayHave("key", text().described("A queue can limit how many jobs of one key run at the same time."))
            .mayHave("priority", choice("high", "normal", "low"))
            .mayHave(
                    "unique_key",
                    text().described(
                                    "While an unfinished job has this key, no other one is enqueued. The key is unique in the"
                                            + " token's project, and with reach user in its user."))
            .mayHave(
                    "unique_for",
                    text().with("format", "duration")
                            .described(
                                    "Holds the key for exactly this time after the job was enqueued, whether the job is finished"
                                            + " or not."))
            .mayHave("project_id", text())
            .mayHave("user_id", text())
            .mayHave("headers", EventSchemas.HEADERS)
            .example("""
                    {"type": "receipt", "payload": {"order": 42}, "run_at": "2026-05-01T12:00:00Z"}""");

    public static final Schema ENQUEUED = object("Enqueued")
            .has("id", uuid().described("The id of the new job, or of the job that holds its unique key."))
            .has("created", flag())
            .example("""
                    {"id": "01a1e008-19d5-7f26-902b-d2025bfc1f45", "created": true}""");

    public static final Schema JOB = object("Job")
            .has("id", uuid())
            .has("queue", text())
            .has("job_type", text())
            .has("priority", text())
            .has("state", STATE)
            .has("run_at", time())
            .has("attempt_count", integer())
            .has("last_error_code", text().orNull())
            .has("created_at", time())
            .has("claimed_at", time().orNull())
            .has("finished_at", time().orNull())
            .has("key", text().orNull())
            .has("project_id", text().orNull())
            .has("user_id", text().orNull())
            .has("progress", integer().orNull().described("Percent."))
            .has("progress_note", text().orNull())
            .has("waits_for", text().orNull())
            .has("payload", CommonSchemas.JSON_VALUE)
            .has("result", CommonSchemas.JSON_VALUE)
            .mayHave("last_error_message", text().orNull().described("Missing for tokens with reach user."))
            .mayHave(
                    "stack",
                    text().orNull()
                            .described(
                                    "The stack trace of the last failure, at most 8 KB. Only for tokens with reach all."))
            .mayHave("locked_by", text().orNull().described("Missing for tokens with reach user."))
            .mayHave("lease_expires_at", time().orNull().described("Missing for tokens with reach user."))
            .mayHave(
                    "waiting",
                    object().described("Why a pending job is waiting; only in the response for a single job.")
                            .has(
                                    "reason",
                                    choice(
                                            "NO_POSITION",
                                            "TIME",
                                            "RETRY",
                                            "PAUSED",
                                            "NO_WORKER",
                                            "NO_HANDLER",
                                            "KEY",
                                            "LIMIT",
                                            "ALONE",
                                            "BEHIND"))
                            .has("until", time().orNull())
                            .has("detail", text().described("An explanation of the reason.")))
            .example("""
                    {"id": "01a1e008-19d5-7f26-902b-d2025bfc1f45", "queue": "mail", "job_type": "receipt",
                     "priority": "normal", "state": "PENDING", "run_at": "2026-05-01T12:00:00Z",
                     "attempt_count": 0, "last_error_code": null, "created_at": "2026-05-01T12:00:00Z",
                     "claimed_at": null, "finished_at": null, "key": null, "project_id": "shop-1", "user_id": null,
                     "progress": null, "progress_note": null, "waits_for": null, "payload": {"order": 42},
                     "result": null}""");

    public static final Schema JOBS = object("Jobs")
            .has("jobs", list(JOB))
            .mayHave(
                    "before",
                    text().described(
                                    "Pass it as before to get the next page; missing on the last page. A page can be empty"
                                            + " and still have this field: each page scans a limited number of jobs, including those"
                                            + " outside the token's reach."));

    public static final Schema CANCEL_JOB =
            object("CancelJob").mayHave("reason", text()).example("""
                    {"reason": "the order was withdrawn"}""");

    public static final Schema JOB_CANCELLED = object("JobCancelled")
            .has("id", uuid())
            .has(
                    "fate",
                    choice("cancelled", "asked", "finished")
                            .described(
                                    "cancelled: it will not start; asked: it is running and is being interrupted; finished:"
                                            + " it had already finished."));

    public static final Schema JOB_RETRIED =
            object("JobRetried").has("id", uuid()).has("retried", flag());

    private JobSchemas() {}
}
