package io.postrider.internal.doctor.server;

import io.postrider.admin.Finding;
import io.postrider.internal.doctor.check.Check;
import io.postrider.internal.doctor.check.CheckContext;
import java.util.List;

/** The encoding is UTF-8. With another one the database rejects some characters of JSON. */
public final class Encoding implements Check {
    @Override
    public String name() {
        return "encoding";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(CheckContext examination) {
        String encoding = ServerInfo.of(examination).encoding();
        return List.of(
                encoding.equals("UTF8")
                        ? Finding.ok("UTF8")
                        : Finding.fail("the database's encoding is " + encoding, "create it with encoding UTF8"));
    }
}
