package io.postrider.server.api;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Priority;
import io.postrider.admin.Jobs;
import io.postrider.admin.WaitReason;
import io.postrider.gateway.Identity;
import io.postrider.server.openapi.CommonSchemas;
import io.postrider.server.openapi.ErrorResponse;
import io.postrider.server.openapi.JobSchemas;
import io.postrider.server.openapi.Operation;
import io.postrider.server.openapi.Parameter;
import io.postrider.server.openapi.Schema;
import io.postrider.support.Suggestion;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs: enqueue, show, cancel and retry them. */
final class JobRoutes {
    private static final Set<String> FIELDS = JobSchemas.NEW_JOB.fields();

    private static final Parameter ID = Parameter.path("id", "Job id.", Schema.uuid());

    private static final int LONGEST_REASON = 1_000;

    private final Writing writing;
    private final Postrider postrider;
    private final Jobs jobs;
    private final Reading reading;

    JobRoutes(Writing writing, Reading reading) {
        this.writing = writing;
        this.reading = reading;
        this.postrider = writing.postrider();
        this.jobs = writing.changing().postrider().jobs();
    }

    List<Route> routes() {
        return List.of(
                Route.post("/v1/queues/{queue}/jobs", Need.ANYONE, this::enqueue)
                        .checked((who, places) -> writing.refuseQueueAtOnce(who, places.getOrDefault("queue", "")))
                        .described(operation(
                                        "enqueue",
                                        "Enqueue a job. The status is 200 instead of 201 if another job holds its unique key.")
                                .noting(
                                        "A token with reach user may enqueue only on the queues that the server's settings list;"
                                                + " a token with reach project also on queues that already exist.")
                                .takes(Parameter.path("queue", "Queue name."))
                                .body(JobSchemas.NEW_JOB)
                                .answers(JobSchemas.ENQUEUED)
                                .created(JobSchemas.ENQUEUED)),
                Route.get("/v1/jobs", Need.ANYONE, this::list)
                        .described(operation(
                                        "listJobs",
                                        "List the jobs of a queue, newest first. A page has at most 8 MiB of payloads and"
                                                + " results.")
                                .takes(
                                        Parameter.required("queue", "Queue name."),
                                        Parameter.query("state", "Only jobs in this state.", JobSchemas.STATE),
                                        Parameter.query("before", "The field before of the previous page."),
                                        Parameter.LIMIT)
                                .answers(JobSchemas.JOBS)),
                Route.get("/v1/jobs/{id}", Need.ANYONE, this::show)
                        .described(operation("showJob", "Get one job.")
                                .takes(ID)
                                .answers(JobSchemas.JOB)
                                .fails(ErrorResponse.NOT_FOUND)),
                Route.post("/v1/jobs/{id}/cancel", Need.PROJECT, this::cancel)
                        .described(operation("cancelJob", "Cancel a job.")
                                .takes(ID)
                                .body(JobSchemas.CANCEL_JOB)
                                .answers(JobSchemas.JOB_CANCELLED)
                                .fails(ErrorResponse.NOT_FOUND, ErrorResponse.CONFLICT)),
                Route.post("/v1/jobs/{id}/retry", Need.PROJECT, this::retry)
                        .described(operation("retryJob", "Run a dead or scheduled job now.")
                                .takes(ID)
                                .body(CommonSchemas.NOTHING)
                                .answers(JobSchemas.JOB_RETRIED)
                                .fails(ErrorResponse.NOT_FOUND, ErrorResponse.CONFLICT)));
    }

    private static Operation operation(String id, String summary) {
        return Operation.of("jobs", id, summary);
    }

    /** Status 201 and the job's id; or 200 and the id of the job that already holds its unique key. */
    private Answer enqueue(Call call) throws Exception {
        String queue = call.place("queue");
        writing.rates().take(call.who()); // first, because a refused name may cost a lookup
        writing.refuseQueue(call.who(), queue);
        Job job = call.read(body -> job(call.who(), queue, Fields.of(body, "the body", FIELDS)));
        writing.rates().takeMore(call.who(), List.of(job.event()));
        UUID id = writing.transaction(call.who(), keyOf(job), connection -> postrider.enqueue(connection, job));
        writing.wroteQueue(queue);
        boolean created = id.equals(job.event().id());
        return Answer.of(
                created ? 201 : 200, JsonText.object().put("id", id.toString()).put("created", created));
    }

    /** The key that the database locks for the job. */
    private static @Nullable String keyOf(Job job) {
        Job.@Nullable Unique unique = job.unique();
        return unique == null
                ? null
                : "unique " + job.queue() + " " + job.event().projectId() + " " + unique.key();
    }

    private Job job(Identity who, String queue, Fields fields) {
        Job job = Job.of(queue, fields.text("type"), fields.payload(writing.payloadCap()))
                .withPriority(priority(fields))
                .withRunAt(fields.timeOrNull("run_at"))
                .withKey(Writing.own(who, fields.textOrNull("key")))
                .withProject(Writing.project(who, fields.textOrNull("project_id")))
                .withUser(Writing.user(who, fields.textOrNull("user_id")))
                .withHeaders(fields.texts("headers"));
        UUID id = fields.idOrNull("id");
        if (id != null && !who.isOperator()) {
            throw Problem.forbidden(
                    "only a token with reach all may choose the id of a job",
                    "Leave out id; to make retries idempotent, set unique_key.");
        }
        String unique = Writing.own(who, fields.textOrNull("unique_key"));
        Duration period = fields.durationOrNull("unique_for");
        if (unique != null) {
            job = period == null ? job.withUnique(unique) : job.withUnique(unique, period);
        } else if (period != null) {
            throw fields.refused("unique_for", "needs a unique_key");
        }
        return id == null ? job : job.withId(id);
    }

    private static Priority priority(Fields fields) {
        String text = fields.textOrNull("priority");
        if (text == null) {
            return Priority.NORMAL;
        }
        return Arrays.stream(Priority.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> fields.refused("priority", "must be high, normal or low"));
    }

    /** The latest first. The next page, if there is one, begins at {@code before} of the answer. */
    private Answer list(Call call) {
        String queue = call.needed("queue");
        Jobs.Page page = reading.postrider()
                .jobs()
                .list(
                        Callers.reach(call.who()),
                        new Jobs.Wanted(
                                queue, state(call.text("state")), Places.read(call.text("before")), call.limit()),
                        call.pageBytes());
        ArrayNode jobs = JsonText.array();
        page.jobs().forEach(job -> jobs.add(json(call.who(), job)));
        ObjectNode answer = JsonText.object();
        answer.set("jobs", jobs);
        Jobs.@Nullable Cursor next = page.next();
        return Answer.ok(next == null ? answer : answer.put("before", Places.text(next)));
    }

    private static Jobs.@Nullable State state(@Nullable String text) {
        if (text == null) {
            return null;
        }
        List<String> names = Arrays.stream(Jobs.State.values()).map(Enum::name).toList();
        String name = text.toUpperCase(Locale.ROOT);
        if (!names.contains(name)) {
            throw Problem.badRequest("parameter state must be one of " + names + Suggestion.hint(text, names));
        }
        return Jobs.State.valueOf(name);
    }

    private Answer show(Call call) {
        Jobs.Status job = inReach(reading.postrider().jobs(), call);
        ObjectNode json = json(call.who(), job);
        if (job.state() == Jobs.State.PENDING) {
            reading.postrider().jobs().waiting(job).ifPresent(waiting -> json.set("waiting", json(waiting)));
        }
        return Answer.ok(json);
    }

    private Answer cancel(Call call) {
        writing.rates().take(call.who());
        Fields fields = call.fields("reason");
        String reason = fields.textOrNull("reason");
        if (reason != null && reason.length() > LONGEST_REASON) {
            throw fields.refused("reason", "must have at most " + LONGEST_REASON + " characters");
        }
        Jobs.Status job = inReach(jobs, call);
        Jobs.Cancelled fate =
                jobs.cancel(job, reason == null ? "by " + call.who().subject() : reason);
        return Answer.ok(JsonText.object()
                .put("id", job.id().toString())
                .put("fate", fate.name().toLowerCase(Locale.ROOT)));
    }

    private Answer retry(Call call) {
        writing.rates().take(call.who());
        call.fields();
        Jobs.Status job = inReach(jobs, call);
        if (!jobs.retry(job)) {
            throw Problem.of(
                    409,
                    "job " + job.id() + " is " + job.state() + ": it is neither dead nor scheduled",
                    "Only dead and scheduled jobs can be retried.");
        }
        return Answer.ok(JsonText.object().put("id", job.id().toString()).put("retried", true));
    }

    /** A job outside the caller's reach is reported as missing. Writes look it up without waiting for readers. */
    private static Jobs.Status inReach(Jobs jobs, Call call) {
        return jobs.find(Callers.reach(call.who()), call.id()).orElseThrow(() -> Problem.notFound("job " + call.id()));
    }

    private static ObjectNode json(WaitReason waiting) {
        return JsonText.object()
                .put("reason", waiting.reason().name())
                .put("until", Callers.text(waiting.until()))
                .put("detail", waiting.detail());
    }

    /** The text of an error may reveal internals; a browser gets its code only. */
    private static ObjectNode json(Identity who, Jobs.Status job) {
        ObjectNode json = JsonText.object()
                .put("id", job.id().toString())
                .put("queue", job.queue())
                .put("job_type", job.type())
                .put("priority", job.priority())
                .put("state", job.state().name())
                .put("run_at", job.runAt().toString())
                .put("attempt_count", job.attempts())
                .put("last_error_code", job.errorCode())
                .put("created_at", job.createdAt().toString())
                .put("claimed_at", Callers.text(job.claimedAt()))
                .put("finished_at", Callers.text(job.finishedAt()))
                .put("key", job.key())
                .put("project_id", job.projectId())
                .put("user_id", job.userId())
                .put("progress", job.progress())
                .put("progress_note", job.progressNote())
                .put("waits_for", job.waitsFor());
        json.putRawValue("payload", JsonText.raw(job.payload()));
        json.putRawValue("result", JsonText.raw(job.result() == null ? "null" : job.result()));
        if (who.reach() != Identity.Reach.USER) {
            json.put("last_error_message", job.error())
                    .put("locked_by", job.lockedBy())
                    .put("lease_expires_at", Callers.text(job.leaseExpiresAt()));
        }
        if (who.reach() == Identity.Reach.ALL) {
            json.put("stack", job.stack());
        }
        return json;
    }
}
