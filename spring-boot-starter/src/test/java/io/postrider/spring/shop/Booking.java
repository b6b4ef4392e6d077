package io.postrider.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** A row that a handler writes. */
@Entity
public class Booking {
    /** From a sequence, so that Hibernate delays the insert until it flushes. */
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "booking_seq")
    private @Nullable Long id;

    private @Nullable String value;

    protected Booking() {}

    Booking(String value) {
        this.value = value;
    }
}
