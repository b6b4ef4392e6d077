package io.postrider.server;

import io.postrider.PostriderException;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Selects JSON or text for the log, as set on the command line, in the environment or in a file. */
final class LogForm implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        switch (environment.getProperty("postrider.log", "json")) {
            case "text" -> {
                if (!environment.containsProperty("logging.pattern.console")) {
                    format(environment, "io.postrider.server.log.TextLines");
                }
            }
            case "json" -> format(environment, "io.postrider.server.log.JsonLines");
            default ->
                throw PostriderException.refused("postrider.log (--log) must be json or text, was '"
                        + environment.getProperty("postrider.log") + "'");
        }
    }

    private static void format(ConfigurableEnvironment environment, String formatter) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("log form", Map.of("logging.structured.format.console", formatter)));
    }

    /** Runs after the files are read (at +10) and before Spring configures logging (at +20). */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 15;
    }
}
