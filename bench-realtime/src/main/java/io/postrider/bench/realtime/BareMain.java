package io.postrider.bench.realtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.postrider.bench.realtime.Answers.Skill;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

/**
 * The process of {@link BareWay}: the thread that receives a message from Redis writes it to every stream, one after the other.
 * No tokens, no rooms, no positions, no handling of slow clients; in the same container as the gateway.
 */
public final class BareMain implements Skill {
    private static final String CONNECTIONS = "12000";

    /** A strong reference, since a logger that is garbage-collected loses its level. */
    private static final Logger CONTAINER = Logger.getLogger("org.apache");

    private final String directory;
    private final RedisClient redis;
    private final List<ServletOutputStream> streams = new CopyOnWriteArrayList<>();
    private @Nullable StatefulRedisPubSubConnection<String, String> subscription;

    private BareMain(String directory, int redisPort) {
        this.directory = directory;
        this.redis = RedisClient.create(BareWay.uri(redisPort));
    }

    /** @param args a directory for the container; the address of Redis comes through the pipe */
    public static void main(String[] args) throws Exception {
        CONTAINER.setLevel(Level.WARNING);
        Answers answers = new Answers();
        answers.serve(new BareMain(args[0], Integer.parseInt(answers.told())));
    }

    @Override
    public String answer(String[] words) throws Exception {
        int port = serve();
        StatefulRedisPubSubConnection<String, String> connection = redis.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String json) {
                fanOut("event: event\ndata: " + json + "\n\n");
            }
        });
        connection.sync().subscribe(BareWay.CHANNEL);
        subscription = connection;
        return Integer.toString(port);
    }

    private void fanOut(String frame) {
        byte[] bytes = frame.getBytes(UTF_8);
        for (ServletOutputStream stream : streams) {
            try {
                stream.write(bytes);
                stream.flush();
            } catch (IOException e) {
                streams.remove(stream);
            }
        }
    }

    private int serve() throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxConnections", CONNECTIONS);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", directory);
        Tomcat.addServlet(context, "stream", new Streams()).setAsyncSupported(true);
        context.addServletMappingDecoded("/stream", "stream");
        tomcat.start();
        return connector.getLocalPort();
    }

    /** Accepts every client. */
    private final class Streams extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/event-stream");
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Cache-Control", "no-store");
            AsyncContext async = request.startAsync();
            async.setTimeout(0);
            ServletOutputStream out = response.getOutputStream();
            out.write("event: position\ndata: {}\n\n".getBytes(UTF_8));
            out.flush();
            streams.add(out);
        }
    }
}
