package io.postrider.spring;

import io.postrider.Options;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The settings under {@code postrider.}. Missing ones have the value of {@link Options#defaults}, and invalid values are refused
 * by name as there. An unknown key fails the start, see {@link KnownKeys}.
 *
 * @param schema the schema that holds the log
 * @param node the name of this process in ledgers and logs
 * @param notifies {@code notify}: whether notifications wake a sleeping sequencer
 * @param poll how often the node polls without a notification
 * @param keep how long events are kept after every listener has passed them
 * @param patience how long events are kept for a listener that has not handled them; then it is detached
 * @param payloadCap maximum size of a payload in bytes
 * @param passSize maximum number of events that one pass gives positions to
 * @param segmentSize number of event ids in a segment, while there are at most 16 segments
 * @param logRate lines per second and kind about single events and jobs that are logged at info. Default 0: at debug only
 * @param directUrl the JDBC URL of the same database without a pooler in between, with user and password if it needs them
 * @param transactionManager the name of the transaction manager bean for transactional listeners and jobs. Default: the one that
 *     manages the data source
 * @param migrate whether the schema is created or updated before the start. Default true
 * @param start whether the node starts with the application. Default true; if false, the application can emit but runs nothing
 * @param listen whether {@code Listener} beans run here. Default true
 * @param work whether {@code Worker} and {@code Schedule} beans run here. Default true
 * @param queues settings of queues, by name; written to the database at startup
 */
@ConfigurationProperties("postrider")
public record PostriderProperties(
        @Nullable String schema,
        @Nullable String node,
        @Name("notify") @Nullable Boolean notifies,
        @Nullable Duration poll,
        @Nullable Duration keep,
        @Nullable Duration patience,
        @Nullable Integer payloadCap,
        @Nullable Integer passSize,
        @Nullable Long segmentSize,
        @Nullable Integer logRate,
        @Nullable String directUrl,
        @Nullable String transactionManager,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("true") boolean start,
        @DefaultValue("true") boolean listen,
        @DefaultValue("true") boolean work,
        @DefaultValue Map<String, Queue> queues) {

    /**
     * The settings of a queue.
     *
     * @param lease how long a silent worker keeps its jobs, 3 s..1 h; default: what the database has, 10 s at first
     */
    public record Queue(@Nullable Duration lease) {}

    boolean hasDirectUrl() {
        return directUrl != null && !directUrl.isBlank();
    }

    /** The options that these properties define. */
    Options options() {
        Options options = Options.defaults();
        options = with(options, schema, Options::withSchema);
        options = with(options, node, Options::withNode);
        options = with(options, notifies, Options::withNotify);
        options = with(options, poll, Options::withPoll);
        options = with(options, keep, Options::withKeep);
        options = with(options, patience, Options::withPatience);
        options = with(options, payloadCap, Options::withPayloadCap);
        options = with(options, passSize, Options::withPassSize);
        options = with(options, segmentSize, Options::withSegmentSize);
        return with(options, logRate, Options::withLogRate);
    }

    private static <T> Options with(Options options, @Nullable T value, BiFunction<Options, T, Options> setting) {
        return value == null ? options : setting.apply(options, value);
    }
}
