package io.postrider.cli.adopt;

import io.postrider.PostriderException;
import io.postrider.admin.Adoption;
import io.postrider.cli.text.Durations;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options that say what the columns of a table mean and where its rows go. */
@Command
final class MappingOptions {
    @Option(names = "--topic", paramLabel = "TOPIC", description = "Rows become events of this topic.")
    private @Nullable String topic;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "Rows become jobs of this queue.")
    private @Nullable String queue;

    @Option(
            names = "--map",
            paramLabel = "COLUMN=FIELD",
            description = {
                "What a column means, whatever its name; may be repeated. Fields: id, type, payload, key, aggregate_type,"
                        + " aggregate_id, user_id, project_id, headers, created_at, processed_at, processed, status, attempts,"
                        + " run_at, retry_at, claimed_at, locked_by, lease_expires_at, last_error, last_error_code, ignore."
            })
    private List<String> map = new ArrayList<>();

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Type of all events or jobs, if no column has it (default: the table's name).")
    private @Nullable String type;

    @Option(
            names = "--order",
            paramLabel = "COLUMN",
            description =
                    "Column by which old rows are imported (default: the id if it is a number, otherwise the time of"
                            + " creation).")
    private @Nullable String order;

    @Option(
            names = "--finished",
            paramLabel = "STATUS",
            split = ",",
            description =
                    "Values of the status column that mean finished, separated by commas (default: the usual words, such as"
                            + " published, done, completed).")
    private List<String> finished = new ArrayList<>();

    @Option(
            names = "--done",
            paramLabel = "STATUS",
            description = "Status that the mirror writes for a finished row (default: published, or DONE for jobs).")
    private @Nullable String done;

    @Option(
            names = "--failed",
            paramLabel = "STATUS",
            description =
                    "Status that the mirror writes for a row that has failed for good (default: failed, or FAILED).")
    private @Nullable String failed;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "5m",
            description = "How long an old worker keeps a claimed job, if no column has it (default: 5m).")
    private String lease = "5m";

    @Option(names = "--new-only", description = "Emit new rows at once and leave the existing rows to the old system.")
    private boolean newOnly;

    Adoption of(String table) {
        Adoption adoption =
                Adoption.of(table).withLease(Durations.parse("--lease", lease)).withNewOnly(newOnly);
        adoption = topic == null ? adoption : adoption.withTopic(topic);
        adoption = queue == null ? adoption : adoption.withQueue(queue);
        adoption = type == null ? adoption : adoption.withType(type);
        adoption = order == null ? adoption : adoption.withOrder(order);
        if (!finished.isEmpty()) {
            adoption = adoption.withFinished(finished.toArray(new String[0]));
        }
        if ((done == null) != (failed == null)) {
            throw PostriderException.refused("--done and --failed must be given together");
        }
        if (done != null && failed != null) {
            adoption = adoption.withStatuses(done, failed);
        }
        for (String pair : map) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw PostriderException.refused("--map must be COLUMN=FIELD, was '" + pair + "'");
            }
            adoption = adoption.withMap(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return adoption;
    }
}
