package io.postrider.spring;

import io.postrider.Options;
import java.time.Duration;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The settings under {@code postrider.}; what is not given is as {@link Options#defaults} has it, and values are refused by
 * name as there. A key that nobody knows fails the start, see {@link KnownKeys}.
 *
 * @param schema the schema that holds the log
 * @param node what this process is called in ledgers and logs
 * @param notifies {@code notify}: whether a sleeping sequencer is woken by notifications
 * @param poll how often the node looks by itself
 * @param keep how long events are kept that every listener has passed
 * @param patience how long events are kept for a listener that does not come
 * @param payloadCap the longest payload in bytes
 * @param passSize how many events one pass gives positions to, at most
 * @param segmentSize how many events a segment holds, while there are at most 16
 * @param directUrl the JDBC URL of the same database without a pooler in between, with user and password if it needs them
 * @param transactionManager the name of the transaction manager bean for transactional listeners and jobs. Default: the one that
 *     manages the data source
 * @param migrate whether the schema is made or updated before the start. Default true
 * @param start whether the node is started with the application. Default true; false: it can emit, and runs nothing
 * @param listen whether the beans that are a {@code Listener} run here. Default true
 * @param work whether the beans that are a {@code Worker} or a {@code Schedule} run here. Default true
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
        @Nullable String directUrl,
        @Nullable String transactionManager,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("true") boolean start,
        @DefaultValue("true") boolean listen,
        @DefaultValue("true") boolean work) {

    boolean hasDirectUrl() {
        return directUrl != null && !directUrl.isBlank();
    }

    /** The options that these properties say. */
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
        return with(options, segmentSize, Options::withSegmentSize);
    }

    private static <T> Options with(Options options, @Nullable T value, BiFunction<Options, T, Options> setting) {
        return value == null ? options : setting.apply(options, value);
    }
}
