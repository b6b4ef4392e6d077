package io.postrider.spring;

import io.postrider.Options;

/** A bean of this type adjusts the options of the {@code Postrider} bean, after the properties have been applied. */
@FunctionalInterface
public interface OptionsCustomizer {
    /** Returns the options to use. */
    Options customize(Options options);
}
