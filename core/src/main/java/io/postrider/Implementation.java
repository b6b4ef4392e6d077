package io.postrider;

import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the implementation of {@link Postrider} once, as a service, so that the API does not depend on its implementation. */
final class Implementation {
    private static final Optional<Postrider.Factory> FACTORY = ServiceLoader.load(
                    Postrider.Factory.class, Postrider.class.getClassLoader())
            .findFirst();

    private Implementation() {}

    static Postrider.Factory factory() {
        return FACTORY.orElseThrow(() -> new PostriderException(
                PostriderException.Kind.FAILED,
                "META-INF/services/io.postrider.Postrider$Factory is missing; a repackaged jar must keep the service files"
                        + " of postrider-core"));
    }
}
