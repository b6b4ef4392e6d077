package io.postrider.doctor;

import io.postrider.db.Sql;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Settings of the server as a new session of this role has them. */
final class Settings {
    private static final Sql SETTINGS = Sql.file("doctor/settings");

    private Settings() {}

    /** By name; what the server does not know is not in it. */
    static Map<String, String> of(Examination examination, List<String> names) {
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
