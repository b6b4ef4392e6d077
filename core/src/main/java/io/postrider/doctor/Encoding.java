package io.postrider.doctor;

import java.util.List;

/** JSON is UTF-8, and a database in another encoding refuses some of its characters. */
final class Encoding implements Check {
    @Override
    public String name() {
        return "encoding";
    }

    @Override
    public boolean needsSchema() {
        return false;
    }

    @Override
    public List<Finding> look(Examination examination) {
        String encoding = Server.of(examination).encoding();
        return List.of(
                encoding.equals("UTF8")
                        ? Finding.ok("UTF8")
                        : Finding.fail("the database's encoding is " + encoding, "create it with encoding UTF8"));
    }
}
