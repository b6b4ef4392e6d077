package io.postrider.bench.realtime;

import io.postrider.Event;
import io.postrider.Postrider;
import io.postrider.bench.database.BenchDatabase;
import io.postrider.bench.process.ChildProcess;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Postrider's variant: an emit is committed, and the server in its role gateway reads the log and streams. Timed from the return
 * of commit().
 */
final class GatewayWay implements Way {
    private final BenchDatabase database;
    private final ChildProcess server;
    private final int port;
    private final String token;
    private final Postrider postrider;
    private final Connection connection;
    private final Histogram commits = new Histogram(3);
    private long before;

    private GatewayWay(BenchDatabase database, ChildProcess server) throws SQLException {
        String[] started = server.ask("start").split(" ", -1);
        this.database = database;
        this.server = server;
        this.port = Integer.parseInt(started[0]);
        this.token = started[1];
        this.postrider = Postrider.on(database.direct("bench-producers"));
        this.connection = database.connect("bench-producers");
        connection.setAutoCommit(false);
    }

    static GatewayWay open(BenchDatabase database) throws IOException, SQLException {
        ChildProcess server = ChildProcess.start(GatewayMain.class, "1g", List.of(), ChildProcess.told(database));
        try {
            return new GatewayWay(database, server);
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public String request() {
        return "/v1/stream?topic=" + Messages.TOPIC + "&room=" + Messages.ROOM
                + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + token;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ChildProcess server() {
        return server;
    }

    BenchDatabase database() {
        return database;
    }

    @Override
    public long send(long turn, int number) throws SQLException {
        postrider.emit(connection, Messages.event(turn, number));
        long before = System.nanoTime();
        connection.commit();
        long now = System.nanoTime();
        commits.recordValue(now - before);
        return now;
    }

    @Override
    public void sendAll(long turn, int from, int to) throws SQLException {
        List<Event> events = new ArrayList<>();
        IntStream.range(from, to).forEach(number -> events.add(Messages.event(turn, number)));
        postrider.emitAll(connection, events);
        connection.commit();
    }

    /** Records what happens to messages from now on. Earlier ones must have arrived. */
    void begin() {
        before = postrider.log().head(Messages.TOPIC);
        commits.reset();
        server.ask("passes");
        server.ask("moves");
    }

    /** The times of the messages up to their positions. */
    Sequenced sequenced(long[] sent) {
        return Sequenced.of(
                before,
                sent,
                commits.getValueAtPercentile(50) / 1e6,
                server.ask("passes").split(" ", -1),
                server.ask("moves").split(" ", -1));
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // it ends with this process
        }
        server.close();
    }
}
