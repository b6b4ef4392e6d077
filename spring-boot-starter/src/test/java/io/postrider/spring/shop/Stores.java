package io.postrider.spring.shop;

import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;
import org.jooq.DSLContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** One way to write a booking for each technology, as an application would, without Postrider's API. */
@Component
public class Stores {
    /** All of them; {@code jpa} only where the application has JPA. */
    public static final List<String> ALL = List.of("template", "client", "jooq", "jdbi", "mybatis", "jpa");

    private static final String INSERT = "insert into booking (id, value) values (nextval('booking_seq'), ?)";

    private final JdbcTemplate template;
    private final JdbcClient client;
    private final DSLContext jooq;
    private final Jdbi jdbi;
    private final BookingMapper mybatis;
    private final ObjectProvider<BookingRepository> jpa;

    Stores(
            JdbcTemplate template,
            JdbcClient client,
            DSLContext jooq,
            Jdbi jdbi,
            BookingMapper mybatis,
            ObjectProvider<BookingRepository> jpa) {
        this.template = template;
        this.client = client;
        this.jooq = jooq;
        this.jdbi = jdbi;
        this.mybatis = mybatis;
        this.jpa = jpa;
    }

    /** Writes a booking. */
    public void save(String store, String value) {
        switch (store) {
            case "template" -> template.update(INSERT, value);
            case "client" -> client.sql(INSERT).param(value).update();
            case "jooq" -> jooq.execute(INSERT, value);
            case "jdbi" -> jdbi.useHandle(handle -> handle.execute(INSERT, value));
            case "mybatis" -> mybatis.insert(value);
            case "jpa" -> Objects.requireNonNull(jpa.getObject().save(new Booking(value)));
            default -> throw new IllegalArgumentException(store);
        }
    }
}
