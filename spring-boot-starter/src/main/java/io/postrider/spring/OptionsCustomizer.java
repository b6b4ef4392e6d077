package io.postrider.spring;

import io.postrider.Options;

/** A bean of this kind has the last word on the options of the {@code Postrider} bean, after the properties. */
@FunctionalInterface
public interface OptionsCustomizer {
    /** Gives what the options shall be. */
    Options customize(Options options);
}
