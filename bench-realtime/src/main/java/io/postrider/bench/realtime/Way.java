package io.postrider.bench.realtime;

import io.postrider.bench.Child;

/** One of those compared: a producer here, and a process that streams what it sends to clients. */
interface Way extends AutoCloseable {
    /** Where a client gets the stream: what stands between GET and the end of the request's head. */
    String request();

    int port();

    /** The process that streams. */
    Child server();

    /** Sends one. Gives the moment from which its way to the clients counts. */
    long send(long turn, int number) throws Exception;

    /** Sends many at once. */
    void sendAll(long turn, int from, int to) throws Exception;

    @Override
    void close();
}
