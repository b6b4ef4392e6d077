package io.postrider.spring.guide;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/** An order of a customer. */
@Entity
@Table(name = "orders")
public class Order {
    @Id
    @GeneratedValue
    private @Nullable Long id;

    private @Nullable String customer;

    protected Order() {}

    Order(String customer) {
        this.customer = customer;
    }

    @Nullable
    Long getId() {
        return id;
    }

    @Nullable
    String getCustomer() {
        return customer;
    }
}
