package io.postrider.server;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;

/** Gives the settings of the command line precedence over all others, early enough to name a file with more settings. */
final class GivenSettings implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    /** The name of the property source. */
    static final String SOURCE = "given";

    private final Map<String, Object> settings;

    GivenSettings(Map<String, String> settings) {
        this.settings = new LinkedHashMap<>(settings);
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        event.getEnvironment().getPropertySources().addFirst(new MapPropertySource(SOURCE, settings));
    }

    /** Runs before the files are read. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
