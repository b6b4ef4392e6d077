package io.postrider.spring.guide;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** What the ledger says of an order. */
@Entity
public class LedgerEntry {
    @Id
    @GeneratedValue
    private @Nullable Long id;

    private @Nullable String text;

    protected LedgerEntry() {}

    LedgerEntry(String text) {
        this.text = text;
    }

    @Nullable
    String getText() {
        return text;
    }
}
