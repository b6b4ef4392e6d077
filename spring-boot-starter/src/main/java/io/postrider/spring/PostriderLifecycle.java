package io.postrider.spring;

import io.postrider.Postrider;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the node before the web server takes its first request, and closes it after the last one was answered: an
 * application that still serves can still wake its listeners.
 */
final class PostriderLifecycle implements SmartLifecycle {
    /** Spring Boot's web server starts and stops within 2048 of the default. What starts earlier stops later. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    private final Postrider postrider;
    private volatile boolean running;

    PostriderLifecycle(Postrider postrider) {
        this.postrider = postrider;
    }

    @Override
    public void start() {
        postrider.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        postrider.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A closed node does not start again. Spring's tests stop and start the contexts that they keep, unless told so. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
