package io.postrider.server;

import io.postrider.PostriderException;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Whether the log is JSON or text, wherever that is set: command line, environment or a file. */
final class LogForm implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        switch (environment.getProperty("postrider.log", "json")) {
            case "text" -> {}
            case "json" ->
                environment
                        .getPropertySources()
                        .addLast(new MapPropertySource(
                                "log form",
                                Map.of("logging.structured.format.console", "io.postrider.server.log.JsonLines")));
            default ->
                throw PostriderException.refused("postrider.log (--log) must be json or text, was '"
                        + environment.getProperty("postrider.log") + "'");
        }
    }

    /** After the files are read (10 behind the first), before Spring sets up its log by it (20 behind). */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 15;
    }
}
