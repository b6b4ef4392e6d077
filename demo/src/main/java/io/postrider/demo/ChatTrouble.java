package io.postrider.demo;

import io.postrider.gateway.Hub;
import io.postrider.livechat.Trouble;
import io.postrider.livechat.WorkerProcesses;
import java.util.List;
import java.util.Set;

/** The failures that the demo's buttons cause: in the worker processes and in streams. */
record ChatTrouble(WorkerProcesses processes, Hub hub) implements Trouble {
    @Override
    public long killWorker() {
        return processes.killOne();
    }

    @Override
    public List<WorkerState> workers() {
        return processes.states();
    }

    @Override
    public int cutStreams(Set<String> users) {
        return hub.cut(users);
    }
}
