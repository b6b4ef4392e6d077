package io.postrider.demo;

import io.postrider.gateway.Hub;
import io.postrider.livechat.Supervisor;
import io.postrider.livechat.Trouble;
import java.util.Set;

/** The failures that the demo's buttons cause: in the worker process and in streams. */
record ChatTrouble(Supervisor process, Hub hub) implements Trouble {
    @Override
    public void killWorker() {
        process.kill();
    }

    @Override
    public WorkerState worker() {
        return process.state();
    }

    @Override
    public int cutStreams(Set<String> users) {
        return hub.cut(users);
    }
}
