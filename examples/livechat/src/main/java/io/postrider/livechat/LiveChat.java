package io.postrider.livechat;

import io.postrider.Job;
import io.postrider.Listener;
import io.postrider.Postrider;
import io.postrider.Worker;
import io.postrider.admin.Queues;
import io.postrider.gateway.Feed;
import io.postrider.gateway.Inbound;
import io.postrider.gateway.ListenerFeed;
import io.postrider.jackson.JacksonMapper;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The live chat as a component: what it runs in a worker process, and what it serves over HTTP.
 *
 * <pre>{@code
 * LiveChat chat = LiveChat.on(postrider, dataSource).install();
 * chat.listeners().forEach(postrider::add);      // in the worker process
 * chat.workers().forEach(postrider::add);
 * Hub.open(chat.broadcast(), …, GatewayOptions.of(TOPIC).withInbound(chat.inbound()));  // in the API process
 * chat.servlets(passes, trouble).forEach(…);
 * }</pre>
 *
 * <p>The gateway provides the WebSocket between the browsers and the topic {@link #TOPIC}, and {@code /postrider.js}.
 */
public final class LiveChat implements AutoCloseable {
    /** The topic of everything that happens in the chat. */
    public static final String TOPIC = "chat";

    /** The project of the demo. */
    public static final String PROJECT = "acme";

    /** The listener that passes events to the rooms: in the serving process, or the relay to Redis in the worker. */
    public static final String BROADCAST = "broadcast";

    static final String INGEST = "chat-ingest";
    static final String COMPANION = "companion";

    static final String CREATED = "message:created";
    static final String ACTIVITY = "activity:created";
    static final String READ = "conversation:read";
    static final String HELD = "transaction:held";

    /** The lifetime of a token of the demo. */
    static final Duration LIFE = Duration.ofHours(8);

    static final Map<String, String> AGENTS = Map.of("anna", "Anna", "ben", "Ben", "mira", "Mira");

    private final Postrider postrider;
    private final DataSource dataSource;
    private final JacksonMapper mapper = new JacksonMapper();
    private final IngestJobs jobs = new IngestJobs(mapper);
    private final Intake intake;
    private final Companion companion;
    private final HeldTransaction held;
    private final Ingestion ingestion;
    private final IngestQueue queue;
    private final Activities activities;
    private final Submissions submissions;

    private LiveChat(Postrider postrider, DataSource dataSource, Function<IngestJobs, Ingestion> ingestion) {
        this.postrider = postrider;
        this.dataSource = dataSource;
        this.intake = new Intake(postrider, mapper);
        this.companion = new Companion(dataSource, intake);
        this.held = new HeldTransaction(postrider, dataSource, mapper);
        this.ingestion = ingestion.apply(jobs);
        this.queue = new IngestQueue(postrider, this.ingestion);
        this.activities = new Activities(postrider, dataSource, mapper);
        this.submissions = new Submissions(this.ingestion, queue::waiting);
    }

    /** Uses this database; messages go through Postrider's queue. */
    public static LiveChat on(Postrider postrider, DataSource dataSource) {
        return new LiveChat(postrider, dataSource, jobs -> new QueueIngestion(postrider, dataSource, jobs));
    }

    /**
     * The same, but messages go through a stream first, such as Redis. The code that moves them from there calls {@link #job} for
     * each.
     *
     * @param name the stream's server, as the page shows it: messages wait there, and are as durable as they are there
     * @param add stores (id, JSON) and returns a receipt; the same id may be sent again
     * @param waiting the number of messages in the stream
     */
    public LiveChat withStream(String name, BinaryOperator<String> add, LongSupplier waiting) {
        return new LiveChat(postrider, dataSource, made -> new StreamIngestion(postrider, made, name, add, waiting));
    }

    /**
     * The job that saves a message, from the JSON that was added to the stream.
     *
     * @param accepted when the stream accepted it, by the stream's clock. It orders the conversation, because two workers that move
     *     entries to the queue may overtake each other
     */
    public Job job(String json, Instant accepted) {
        return jobs.of(json, accepted);
    }

    /** Creates the schema {@code livechat}, the project and its agents, and the companion's limit. Safe to run concurrently. */
    public LiveChat install() {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("select pg_advisory_xact_lock(hashtext('livechat'))");
                statement.execute(resource("schema.sql"));
            }
            Rows.run(
                    connection,
                    "insert into livechat.project values (?, ?) on conflict do nothing",
                    PROJECT,
                    "Acme Post");
            for (Map.Entry<String, String> agent : AGENTS.entrySet()) {
                String insert = "insert into livechat.agent values (?, ?, ?) on conflict do nothing";
                Rows.run(connection, insert, agent.getKey(), PROJECT, agent.getValue());
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the schema livechat cannot be made; the role must be allowed to create it", e);
        }
        postrider.queues().limit(COMPANION, Queues.Limits.none().withPerKey(1));
        return this;
    }

    /** The listeners of a worker process: one calls the companion, the other one records mentions. */
    public List<Listener> listeners() {
        return List.of(new CompanionCall(postrider, mapper).listener(), activities.listener());
    }

    /**
     * The listener {@value #BROADCAST} of the serving process: it passes every event of the chat to the rooms of the gateway. Not
     * needed if a relay of that name publishes to Redis, and the gateway subscribes there.
     */
    public Feed broadcast() {
        return new ListenerFeed(postrider, topic -> BROADCAST);
    }

    /** Accepts messages over the WebSocket of the gateway, with the checks and limits of the HTTP API. */
    public Inbound inbound() {
        return new SocketMessages(submissions);
    }

    /** The workers of a worker process: the one that saves messages, and the companion. */
    public List<Worker> workers() {
        return List.of(
                Worker.on(INGEST)
                        .withMapper(mapper)
                        .handlingInTransaction("ingest", NewMessage.class, intake::handle)
                        .withSlots(8),
                Worker.on(COMPANION)
                        .withMapper(mapper)
                        .handlingInTransaction("reply", Message.class, companion::reply)
                        .withRetry("reply", Companion.RETRY)
                        .withSlots(4));
    }

    /**
     * The servlets of a serving process, each with its URL patterns.
     *
     * @param trouble null: without the buttons that kill and cut
     */
    public Map<HttpServlet, List<String>> servlets(Passes passes, @Nullable Trouble trouble) {
        Map<HttpServlet, List<String>> servlets = new LinkedHashMap<>();
        servlets.put(new ChatServlet(api(passes, trouble)), List.of("/chat/api/*"));
        servlets.put(new PagesServlet(), PagesServlet.PATTERNS);
        return servlets;
    }

    Ingestion ingestion() {
        return ingestion;
    }

    Intake intake() {
        return intake;
    }

    ChatApi api(Passes passes, @Nullable Trouble trouble) {
        return new ChatApi(
                passes,
                submissions,
                new Conversations(postrider, dataSource, mapper),
                activities,
                new Ledger(dataSource, ingestion),
                new TroubleDesk(postrider, dataSource, queue, companion, held, trouble));
    }

    static String resource(String name) {
        try (InputStream in = LiveChat.class.getResourceAsStream("/livechat/" + name)) {
            if (in == null) {
                throw new IllegalStateException("/livechat/" + name + " is not in the jar: build the module again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends a transaction that is held open. */
    @Override
    public void close() {
        held.close();
    }
}
