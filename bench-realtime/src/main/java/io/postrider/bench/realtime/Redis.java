package io.postrider.bench.realtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.embedded.RedisExecProvider;

/** A Redis process without persistence. If this JVM ends for any reason, so does Redis. */
record Redis(Process process, int port, Scratch scratch) implements AutoCloseable {
    private static final String WATCHED = "\"$@\" </dev/null & p=$!; cat >/dev/null; kill -9 $p; wait $p";

    static Redis start() throws IOException {
        Scratch scratch = Scratch.create("redis");
        int port = Scratch.freePort();
        Path program = RedisExecProvider.defaultProvider().get().toPath().toAbsolutePath();
        List<String> command = List.of(
                "/bin/sh",
                "-c",
                WATCHED,
                "sh",
                program.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                scratch.directory().toString(),
                "--appendonly",
                "no",
                "--save",
                "");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(scratch.directory().resolve("log").toFile())
                .start();
        return new Redis(process, port, scratch);
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        scratch.close();
    }
}
