package io.postrider.server;

import io.postrider.server.settings.Role;
import io.postrider.server.settings.ServerSettings;
import java.util.function.Predicate;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if this process has a role. */
abstract class RoleCondition implements Condition {
    private final Predicate<ServerSettings> wanted;

    private RoleCondition(Predicate<ServerSettings> wanted) {
        this.wanted = wanted;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return wanted.test(Binder.get(context.getEnvironment()).bindOrCreate("postrider", ServerSettings.class));
    }

    static final class Worker extends RoleCondition {
        Worker() {
            super(settings -> settings.allRoles().contains(Role.WORKER));
        }
    }

    /** Also needs a topic: without one there is nothing to stream. */
    static final class Gateway extends RoleCondition {
        Gateway() {
            super(settings -> settings.allRoles().contains(Role.GATEWAY)
                    && !settings.gateway().topics().isEmpty());
        }
    }
}
