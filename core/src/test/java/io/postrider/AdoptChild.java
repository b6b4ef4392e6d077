package io.postrider;

import io.postrider.PostriderException.Kind;
import io.postrider.admin.Adoptions;
import io.postrider.admin.Adoptions.Rows;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** Adopts a table in a process of its own, which may be killed at any moment and started again. */
final class AdoptChild {
    private AdoptChild() {}

    public static void main(String[] args) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        AdoptTables shape = AdoptTables.valueOf(args[1]);
        Adoptions adoptions = Postrider.on(dataSource).adoptions().withPatience(Duration.ofMinutes(5));
        System.out.println("started");
        try {
            adoptions.bridge(shape.adoption());
        } catch (PostriderException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            } // bridged by a process that was killed afterwards
        }
        System.out.println("bridged");
        System.out.println("imported "
                + adoptions.importRows(shape.table, Rows.ALL, false, p -> {}).counts());
    }
}
