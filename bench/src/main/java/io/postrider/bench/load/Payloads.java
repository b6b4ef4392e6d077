package io.postrider.bench.load;

/** The payload of both sides: JSON of about 200 bytes, like a small business event. */
public final class Payloads {
    public static final String TOPIC = "orders";
    public static final String TYPE = "order.placed";

    /** The same in SQL, for bulk loads; g is the number. */
    public static final String SQL =
            "jsonb_build_object('order', g, 'customer', 'customer-' || g % 1000, 'currency', 'EUR', 'amount', g % 10000,"
                    + " 'address', 'Long Street 17, 12345 Somewhere', 'note', repeat('x', 70))";

    private Payloads() {}

    public static String of(long number) {
        return "{\"order\": " + number + ", \"customer\": \"customer-" + number % 1000
                + "\", \"currency\": \"EUR\", \"amount\": " + number % 10_000
                + ", \"address\": \"Long Street 17, 12345 Somewhere\", \"note\": \"" + "x".repeat(70) + "\"}";
    }

    public static String key(long number) {
        return "customer-" + number % 1000;
    }
}
