package io.postrider.server.api;

import io.postrider.Job;
import io.postrider.Postrider;
import io.postrider.Priority;
import io.postrider.cli.text.Nearest;
import io.postrider.gateway.Identity;
import io.postrider.work.Jobs;
import io.postrider.work.Waiting;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs: into a queue, how they stand, cancelled and tried again. */
final class JobRoutes {
    private static final Set<String> FIELDS = Set.of(
            "id",
            "type",
            "payload",
            "run_at",
            "key",
            "priority",
            "unique_key",
            "unique_for",
            "project_id",
            "user_id",
            "headers");

    private final Writing writing;
    private final Postrider postrider;
    private final Reading reading;

    JobRoutes(Writing writing, Reading reading) {
        this.writing = writing;
        this.reading = reading;
        this.postrider = writing.postrider();
    }

    List<Route> routes() {
        return List.of(
                Route.post("/v1/queues/{queue}/jobs", Need.ANYONE, this::enqueue),
                Route.get("/v1/jobs", Need.ANYONE, this::list, "queue", "state", "before", "limit"),
                Route.get("/v1/jobs/{id}", Need.ANYONE, this::show),
                Route.post("/v1/jobs/{id}/cancel", Need.PROJECT, this::cancel),
                Route.post("/v1/jobs/{id}/retry", Need.PROJECT, this::retry));
    }

    /** 201 and the job's id; 200 and the id of the one that holds its unique key, if there is one. */
    private Answer enqueue(Call call) {
        String queue = call.place("queue");
        writing.refuseQueue(call.who(), queue);
        writing.rates().take(call.who());
        Job job = call.read(body -> job(call.who(), queue, Fields.of(body, "the body", FIELDS)));
        UUID id = writing.database().transaction(session -> postrider.enqueue(session.connection(), job));
        writing.wroteQueue(queue);
        boolean created = id.equals(job.event().id());
        return Answer.of(
                created ? 201 : 200, JsonText.object().put("id", id.toString()).put("created", created));
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
                    "the id of a job is given by the server",
                    "To enqueue once however often it is tried, give a unique_key instead.");
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

    /** The latest first. {@code before} of the answer, if it is there, is where the next page begins. */
    private Answer list(Call call) {
        String queue = call.needed("queue");
        Jobs.Page page = reading.jobs()
                .list(
                        Callers.reach(call.who()),
                        new Jobs.Wanted(
                                queue,
                                state(call.text("state")),
                                Places.read(queue, call.text("before")),
                                call.limit()));
        ArrayNode jobs = JsonText.array();
        page.jobs().forEach(job -> jobs.add(json(call.who(), job)));
        ObjectNode answer = JsonText.object();
        answer.set("jobs", jobs);
        Jobs.@Nullable Place next = page.next();
        return Answer.ok(next == null ? answer : answer.put("before", Places.text(next)));
    }

    private static Jobs.@Nullable State state(@Nullable String text) {
        if (text == null) {
            return null;
        }
        List<String> names = Arrays.stream(Jobs.State.values()).map(Enum::name).toList();
        String name = text.toUpperCase(Locale.ROOT);
        if (!names.contains(name)) {
            throw Problem.badRequest("parameter state must be one of " + names + Nearest.hint(text, names));
        }
        return Jobs.State.valueOf(name);
    }

    private Answer show(Call call) {
        Jobs.Status job = inReach(reading.jobs(), call);
        ObjectNode json = json(call.who(), job);
        if (job.state() == Jobs.State.PENDING) {
            reading.jobs().waiting(job).ifPresent(waiting -> json.set("waiting", json(waiting)));
        }
        return Answer.ok(json);
    }

    private Answer cancel(Call call) {
        Fields fields = call.fields("reason");
        Jobs.Status job = inReach(postrider.jobs(), call);
        String reason = fields.textOrNull("reason");
        Jobs.Cancelled fate =
                postrider.jobs().cancel(job, reason == null ? "by " + call.who().subject() : reason);
        return Answer.ok(JsonText.object()
                .put("id", job.id().toString())
                .put("fate", fate.name().toLowerCase(Locale.ROOT)));
    }

    private Answer retry(Call call) {
        call.fields();
        Jobs.Status job = inReach(postrider.jobs(), call);
        if (!postrider.jobs().retry(job)) {
            throw Problem.of(
                    409,
                    "job " + job.id() + " is " + job.state() + ": neither dead nor waiting for a time",
                    "Only such a job can be done now.");
        }
        return Answer.ok(JsonText.object().put("id", job.id().toString()).put("retried", true));
    }

    /** A job that is out of reach is not there, for whoever asks. Who changes it does not wait for those who read. */
    private static Jobs.Status inReach(Jobs jobs, Call call) {
        return jobs.find(Callers.reach(call.who()), call.id()).orElseThrow(() -> Problem.notFound("job " + call.id()));
    }

    private static ObjectNode json(Waiting waiting) {
        return JsonText.object()
                .put("reason", waiting.reason().name())
                .put("until", Callers.text(waiting.until()))
                .put("detail", waiting.detail());
    }

    /** An error's text may tell of the inside of the house; a browser gets its code only. */
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
