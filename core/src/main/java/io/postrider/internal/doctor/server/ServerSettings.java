package io.postrider.internal.doctor.server;

import io.postrider.internal.db.Sql;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Settings of the server as a new session of this role has them. */
final class ServerSettings {
    private static final Sql SETTINGS = Sql.file("doctor/settings");

    private ServerSettings() {}

    /** Returns the settings by name, without those that the server does not know. */
    static Map<String, String> of(CheckContext examination, List<String> names) {
        Map<String, String> settings = new HashMap<>();
        record Setting(String name, String value) {}
        examination
                .query(
                        SETTINGS,
                        bind -> bind.texts("names", names),
                        row -> new Setting(row.text("name"), row.text("setting")))
                .forEach(setting -> settings.put(setting.name(), setting.value()));
        return settings;
    }
}
