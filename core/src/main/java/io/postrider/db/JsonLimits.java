package io.postrider.db;

/** Limits of JSON numbers. Every double is accepted, and so is a decimal of 1,000 digits. */
public final class JsonLimits {
    /** Characters of a number as it is written, with sign, point and exponent. */
    public static final int LONGEST_NUMBER = 1_000;

    /** The exponent of a number, with either sign. A double has at most 324. */
    public static final int LARGEST_EXPONENT = 400;

    private JsonLimits() {}
}
