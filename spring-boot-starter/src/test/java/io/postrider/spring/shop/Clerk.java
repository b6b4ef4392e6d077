package io.postrider.spring.shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Handles payloads of the form {@code "store:value:what"}. Most of them fail at the first attempt and succeed at the second, so
 * that an effect that was not rolled back shows as a second row.
 */
@Component
public class Clerk {
    private final Stores stores;
    private final Bookkeeping bookkeeping;
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();

    Clerk(Stores stores, Bookkeeping bookkeeping) {
        this.stores = stores;
        this.bookkeeping = bookkeeping;
    }

    /** The number of attempts for this value. */
    public int attempts(String value) {
        return attempts.getOrDefault(value, 0);
    }

    void handle(String payload) {
        String[] parts = payload.replace("\"", "").split(":");
        String store = parts[0];
        String value = parts[1];
        boolean first = attempts.merge(value, 1, Integer::sum) == 1;
        switch (parts[2]) {
            case "plain" -> stores.save(store, value);
            case "service" -> bookkeeping.book(store, value);
            case "telling" -> bookkeeping.bookAndTell(store, value);
            case "apart" -> {
                bookkeeping.bookApart(store, value + "-apart");
                stores.save(store, value);
            }
            case "marked" -> swallow(store, value);
            default -> throw new IllegalArgumentException(payload);
        }
        if (first && !parts[2].equals("marked")) {
            throw new IllegalStateException("the first attempt fails after saving");
        }
    }

    private void swallow(String store, String value) {
        try {
            bookkeeping.bookAndFail(store, value);
        } catch (IllegalStateException e) {
            // like careless code: the transaction is marked for rollback, and the handler returns normally
        }
    }
}
