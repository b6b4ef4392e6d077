package io.postrider.bench.realtime;

import io.postrider.bench.realtime.Answers.Skill;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The process of {@link Crowd}: clients of Server-Sent Events over raw sockets, driven by one thread, so that the sender is what
 * is measured. The time of a message is that of the read that completed its frame.
 */
public final class CrowdMain implements Skill {
    private final Selector selector;
    private final Map<String, CrowdGroup> groups = new ConcurrentHashMap<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);

    private CrowdMain() throws IOException {
        this.selector = Selector.open();
    }

    public static void main(String[] args) throws Exception {
        CrowdMain crowd = new CrowdMain();
        Thread thread = new Thread(crowd::read, "crowd");
        thread.setDaemon(true);
        thread.start();
        new Answers().serve(crowd);
    }

    @Override
    public String answer(String[] words) throws Exception {
        if (words[0].equals("join")) {
            join(words);
            return "";
        }
        CrowdGroup group = groups.get(words[1]);
        if (group == null) {
            throw new IllegalArgumentException("no such clients: " + words[1]);
        }
        return switch (words[0]) {
            case "begin" -> {
                group.begin(Long.parseLong(words[2]), Integer.parseInt(words[3]));
                yield "";
            }
            case "state" -> group.state();
            case "last" -> Long.toString(group.lastAt());
            case "arrival" ->
                group.arrival(Arrays.stream(words, 2, words.length)
                                .mapToLong(Long::parseLong)
                                .toArray())
                        .text();
            default -> throw new IllegalArgumentException("no such command: " + words[0]);
        };
    }

    /** join name count port request; the lines of the request are separated by tabs */
    private void join(String[] words) throws IOException {
        String request = "GET "
                + String.join(" ", Arrays.asList(words).subList(4, words.length))
                        .replace("\t", "\r\n") + "\r\n\r\n";
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[3]));
        CrowdGroup group = new CrowdGroup(Integer.parseInt(words[2]));
        groups.put(words[1], group);
        for (CrowdClient client : group.clients()) {
            SocketChannel channel = SocketChannel.open(server); // one at a time, so that no backlog overflows
            channel.write(ByteBuffer.wrap(request.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, client);
            selector.wakeup();
        }
    }

    private void read() {
        try {
            while (true) {
                selector.select(key -> read((SocketChannel) key.channel(), key));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(SocketChannel channel, SelectionKey key) {
        CrowdClient client = (CrowdClient) key.attachment();
        try {
            buffer.clear();
            int read = channel.read(buffer);
            long now = System.nanoTime();
            if (read < 0) {
                throw new IOException("the stream has ended");
            }
            client.take(buffer.array(), read, now);
        } catch (IOException | RuntimeException e) {
            client.closed(e);
            key.cancel();
        }
    }
}
