package io.postrider.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Many clients in a JVM of their own, driven by one thread over raw sockets: cheap enough that it is the gateway that is measured.
 * Of each kind some send their hello and then never read. The rooms must get every event of the topic: each reader checks
 * that positions come one by one.
 *
 * <p>Tells on standard output: {@code ready} when everybody who reads has had a first frame, then {@code min=… max=… wrong=…
 * closed=… bytes=…} five times a second.
 */
final class Crowd {
    private static final int AT_ONCE = 100;

    private final Selector selector = Selector.open();
    private final InetSocketAddress server;
    private final String topic;
    private final String token;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 * 1024);
    private final List<Client> clients = new ArrayList<>();
    private int connecting;
    private long wrong;
    private long closed;
    private long bytes;

    private Crowd(int port, String topic, String token) throws IOException {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.topic = topic;
        this.token = token;
    }

    /** port topic token streams sockets deaf-percent */
    public static void main(String[] args) throws Exception {
        Crowd crowd = new Crowd(Integer.parseInt(args[0]), args[1], args[2]);
        int streams = Integer.parseInt(args[3]);
        int sockets = Integer.parseInt(args[4]);
        int every = 100 / Integer.parseInt(args[5]);
        List<Client> wanted = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            wanted.add(crowd.new Stream(i % every == 0));
        }
        for (int i = 0; i < sockets; i++) {
            wanted.add(crowd.new Socket(i % every == 0));
        }
        crowd.run(wanted);
    }

    private void run(List<Client> wanted) throws IOException {
        boolean ready = false;
        long nextReport = System.nanoTime();
        int next = 0;
        while (true) {
            while (next < wanted.size() && connecting < AT_ONCE) {
                wanted.get(next++).connect();
            }
            selector.select(50);
            for (SelectionKey key : selector.selectedKeys()) {
                ((Client) key.attachment()).serve(key);
            }
            selector.selectedKeys().clear();
            if (!ready && next == wanted.size() && clients.stream().allMatch(client -> client.settled)) {
                ready = true;
                System.out.println("ready");
            }
            if (System.nanoTime() - nextReport > 0) {
                nextReport = System.nanoTime() + 200_000_000;
                report();
            }
        }
    }

    private void report() {
        long min = Long.MAX_VALUE;
        long max = 0;
        for (Client client : clients) {
            if (!client.deaf) {
                min = Math.min(min, client.last);
                max = Math.max(max, client.last);
            }
        }
        System.out.println("min=" + min + " max=" + max + " wrong=" + wrong + " closed=" + closed + " bytes=" + bytes);
    }

    private abstract class Client {
        final boolean deaf;
        boolean settled;
        long last = -1;
        private ByteBuffer out = ByteBuffer.allocate(0);

        Client(boolean deaf) {
            this.deaf = deaf;
        }

        void connect() throws IOException {
            connecting++;
            clients.add(this);
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            if (deaf) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 8 * 1024);
            }
            channel.connect(server);
            channel.register(selector, SelectionKey.OP_CONNECT, this);
        }

        void serve(SelectionKey key) throws IOException {
            SocketChannel channel = (SocketChannel) key.channel();
            try {
                if (key.isConnectable() && channel.finishConnect()) {
                    say(key, first());
                } else if (key.isWritable()) {
                    channel.write(out);
                    if (!out.hasRemaining()) {
                        key.interestOps(SelectionKey.OP_READ);
                        said(key);
                    }
                } else if (key.isReadable()) {
                    read(key, channel);
                }
            } catch (IOException e) {
                end(key, channel);
            }
        }

        private void read(SelectionKey key, SocketChannel channel) throws IOException {
            buffer.clear();
            int read = channel.read(buffer);
            if (read < 0) {
                end(key, channel);
                return;
            }
            bytes += read;
            buffer.flip();
            while (buffer.hasRemaining()) {
                take(key, buffer.get());
            }
        }

        private void end(SelectionKey key, SocketChannel channel) throws IOException {
            closed++;
            settle();
            key.cancel();
            channel.close();
        }

        void say(SelectionKey key, byte[] text) {
            out = ByteBuffer.wrap(text);
            key.interestOps(SelectionKey.OP_WRITE);
        }

        /** It has said what it had to; who is deaf reads no more. */
        void deafen(SelectionKey key) {
            if (deaf) {
                key.interestOps(0);
                settle();
            }
        }

        void settle() {
            if (!settled) {
                settled = true;
                connecting--;
            }
        }

        void reached(long position, boolean event) {
            if (event && last >= 0 && position != last + 1) {
                wrong++;
            }
            last = position;
            settle();
        }

        abstract byte[] first();

        abstract void said(SelectionKey key);

        abstract void take(SelectionKey key, byte next);
    }

    /** HTTP/1.0, so that the body comes as it is, without chunks. */
    private final class Stream extends Client {
        private final StringBuilder line = new StringBuilder();
        private long id = -1;

        Stream(boolean deaf) {
            super(deaf);
        }

        @Override
        byte[] first() {
            return ("GET /v1/stream?topic=" + topic + "&room=project:p1 HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer "
                            + token + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        void said(SelectionKey key) {
            deafen(key);
        }

        @Override
        void take(SelectionKey key, byte next) {
            if (next != '\n') {
                if (line.length() < 24) {
                    line.append((char) next);
                }
                return;
            }
            if (line.indexOf("id: ") == 0) {
                id = Long.parseLong(line.substring(4));
            } else if (line.indexOf("event: event") == 0) {
                reached(id, true);
            } else if (line.indexOf("event: position") == 0) {
                reached(id, false);
            }
            line.setLength(0);
        }
    }

    private final class Socket extends Client {
        private static final String EVENT = "{\"type\":\"event\",\"position\":";
        private static final String POSITION = "{\"type\":\"position\",\"position\":";

        private final StringBuilder head = new StringBuilder();
        private boolean open;
        private boolean greeted;
        private int state; // 0: first byte, 1: second, 3: a longer length, 2: payload
        private int lengthBytes;
        private long left;
        private int opcode;

        Socket(boolean deaf) {
            super(deaf);
        }

        @Override
        byte[] first() {
            return ("GET /v1/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        void said(SelectionKey key) {
            if (greeted) {
                deafen(key);
            }
        }

        /** Masked with zeros: it is still masked. */
        private byte[] hello() {
            byte[] text = ("{\"type\":\"hello\",\"token\":\"" + token + "\",\"topic\":\"" + topic
                            + "\",\"rooms\":[\"project:p1\"],\"position\":null}")
                    .getBytes(StandardCharsets.US_ASCII);
            ByteBuffer frame = ByteBuffer.allocate(text.length + 8);
            frame.put((byte) 0x81)
                    .put((byte) (0x80 | 126))
                    .putShort((short) text.length)
                    .putInt(0)
                    .put(text);
            return frame.array();
        }

        @Override
        void take(SelectionKey key, byte next) {
            if (!open) {
                head.append((char) next);
                if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                    open = true;
                    greeted = true;
                    head.setLength(0);
                    say(key, hello());
                }
                return;
            }
            switch (state) {
                case 0 -> {
                    opcode = next & 0x0f;
                    state = 1;
                }
                case 1 -> {
                    int length = next & 0x7f;
                    left = length < 126 ? length : 0;
                    lengthBytes = length == 126 ? 2 : length == 127 ? 8 : 0;
                    state = lengthBytes > 0 ? 3 : 2;
                    begin();
                }
                case 2 -> payload(next);
                default -> {
                    left = (left << 8) | (next & 0xff);
                    state = --lengthBytes == 0 ? 2 : 3;
                    begin();
                }
            }
        }

        private void begin() {
            if (state == 2) {
                head.setLength(0);
                if (left == 0) {
                    state = 0;
                }
            }
        }

        private void payload(byte next) {
            if (opcode == 1 && head.length() < 50) {
                head.append((char) next);
            }
            if (--left == 0) {
                state = 0;
            }
            if (opcode == 1 && (head.length() == 50 || left == 0) && head.length() > 0) {
                look();
                opcode = 15; // seen: the rest is passed over
            }
        }

        private void look() {
            if (head.indexOf(EVENT) == 0) {
                reached(number(EVENT.length()), true);
            } else if (head.indexOf(POSITION) == 0) {
                reached(number(POSITION.length()), false);
            }
        }

        private long number(int from) {
            int to = from;
            while (Character.isDigit(head.charAt(to))) {
                to++;
            }
            return Long.parseLong(head.substring(from, to));
        }
    }
}
