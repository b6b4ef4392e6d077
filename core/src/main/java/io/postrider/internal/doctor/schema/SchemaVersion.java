package io.postrider.internal.doctor.schema;

import io.postrider.PostriderException;
import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import io.postrider.internal.doctor.server.ServerInfo;
import io.postrider.internal.schema.Migrator;
import java.util.List;

/** The schema is installed and its version is supported. */
public final class SchemaVersion implements Check {
    @Override
    public String name() {
        return "schema";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        String schema = examination.database().schema().text();
        if (!ServerInfo.of(examination).plainSchema()) {
            return List.of(Finding.fail("schema '" + schema + "' is a reserved word of SQL", "choose another"));
        }
        if (Migrator.version(examination.session()).isEmpty()) {
            return List.of(Finding.fail("schema " + schema + " does not exist", "run `postrider migrate`"));
        }
        try {
            Migrator.requireCurrent(examination.session());
            return List.of(Finding.ok(schema + " has version "
                    + Migrator.version(examination.session()).orElse(0)));
        } catch (PostriderException e) {
            return List.of(Finding.fail(e.getMessage() == null ? "not usable" : e.getMessage(), ""));
        }
    }
}
