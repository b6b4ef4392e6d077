package io.postrider.spring;

import io.postrider.Listener;
import io.postrider.Options;
import io.postrider.Postrider;
import io.postrider.Schedule;
import io.postrider.Worker;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the node before the web server accepts its first request, and closes it after the last one was answered: an application
 * that still serves requests can still wake its listeners.
 *
 * <p>Listener, worker and schedule beans are collected at startup and not when the {@link Postrider} bean is created: their
 * handlers often need that bean themselves, which would be a circular dependency.
 */
final class PostriderLifecycle implements SmartLifecycle {
    /** Spring Boot's web server starts and stops within 2048 of the default. A bean that starts earlier stops later. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    private final Postrider postrider;
    private final PostriderProperties properties;
    private final Beans beans;
    private final ConnectionBudget budget;
    private volatile boolean running;

    /** The beans that run on the node. */
    record Beans(
            ObjectProvider<Listener> listeners,
            ObjectProvider<Worker> workers,
            ObjectProvider<Schedule> schedules,
            ObjectProvider<SpringTransactions> transactions) {}

    PostriderLifecycle(
            Postrider postrider, PostriderProperties properties, Options options, Beans beans, DataSource dataSource) {
        this.postrider = postrider;
        this.properties = properties;
        this.beans = beans;
        this.budget = new ConnectionBudget(dataSource, options.direct() != null);
    }

    @Override
    public void start() {
        List<Listener> listeners = only(properties.listen(), beans.listeners().orderedStream());
        List<Worker> workers = only(properties.work(), beans.workers().orderedStream());
        beans.transactions().ifAvailable(SpringTransactions::choose);
        budget.check(listeners, workers);
        listeners.forEach(postrider::add);
        workers.forEach(postrider::add);
        only(properties.work(), beans.schedules().orderedStream()).forEach(postrider.schedules()::set);
        properties.queues().forEach((queue, settings) -> {
            if (settings.lease() != null) {
                postrider.queues().lease(queue, settings.lease());
            }
        });
        postrider.start();
        running = true;
    }

    private static <T> List<T> only(boolean wanted, Stream<T> beans) {
        return wanted ? beans.toList() : List.of();
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

    /** A closed node cannot start again. Spring's test framework otherwise stops and restarts the contexts that it caches. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
