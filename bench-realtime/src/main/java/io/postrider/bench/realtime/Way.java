package io.postrider.bench.realtime;

import io.postrider.bench.process.ChildProcess;

/** One of the compared variants: a producer here, and a process that streams its messages to clients. */
interface Way extends AutoCloseable {
    /** The path and headers of a client's request: the text between GET and the end of the request head. */
    String request();

    int port();

    /** The process that streams. */
    ChildProcess server();

    /** Sends one message. Returns the time from which its latency counts. */
    long send(long turn, int number) throws Exception;

    /** Sends many messages at once. */
    void sendAll(long turn, int from, int to) throws Exception;

    @Override
    void close();
}
