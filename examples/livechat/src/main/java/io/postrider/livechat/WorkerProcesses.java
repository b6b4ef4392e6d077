package io.postrider.livechat;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Several worker processes with the same command, each kept running by a {@link Supervisor}. With two, one takes over the work of
 * the other within about a second; with one, nobody works while a new JVM starts. Thread-safe.
 */
public final class WorkerProcesses implements AutoCloseable {
    private final List<Supervisor> supervisors;

    private WorkerProcesses(List<Supervisor> supervisors) {
        this.supervisors = supervisors;
    }

    /** Starts this many processes. Pass secrets in the environment. */
    public static WorkerProcesses of(int count, List<String> command, Map<String, String> environment) {
        return new WorkerProcesses(IntStream.range(0, count)
                .mapToObj(i -> Supervisor.of(command, environment))
                .toList());
    }

    /**
     * Kills the process that has been up longest, which is most likely to run the listeners; returns its pid, or 0 if none is up. It
     * is started again.
     */
    public synchronized long killOne() {
        Optional<Supervisor> victim = supervisors.stream()
                .filter(supervisor -> supervisor.state().up())
                .min(Comparator.comparing(supervisor -> supervisor.state().since()));
        victim.ifPresent(Supervisor::kill);
        return victim.map(supervisor -> supervisor.killed()).orElse(0L);
    }

    /** The state of each process. */
    public List<Trouble.WorkerState> states() {
        return supervisors.stream().map(Supervisor::state).toList();
    }

    @Override
    public void close() {
        supervisors.forEach(Supervisor::close);
    }
}
