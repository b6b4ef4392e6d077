package io.postrider.spring;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.env.Environment;

/**
 * The valid keys under {@code postrider.}. A bean of this type adds keys to those of {@link PostriderProperties}. A key that no
 * bean knows fails the start, with the nearest known key.
 *
 * <p>The keys are derived from records, so that there is no second list to maintain. In a key, {@code *} stands for one name, and
 * a {@code **} at the end for anything.
 */
public final class KnownKeys {
    private final Set<String> keys;

    private KnownKeys(Set<String> keys) {
        this.keys = Set.copyOf(keys);
    }

    /** The components of this record under {@code postrider.}: nested records, lists and maps as Spring Boot binds them. */
    public static KnownKeys of(Class<? extends Record> properties) {
        Set<String> keys = new LinkedHashSet<>();
        collect("postrider", properties, keys);
        return new KnownKeys(keys);
    }

    /** Refuses keys that none of these knows. Call it to refuse them before anything is started. */
    public static void refuseOthers(Collection<KnownKeys> all, Environment environment) {
        new KeyCheck(all).check(environment);
    }

    Set<String> keys() {
        return keys;
    }

    private static void collect(String prefix, Class<?> properties, Set<String> keys) {
        for (RecordComponent component : properties.getRecordComponents()) {
            add(prefix + "." + nameOf(properties, component), component.getGenericType(), keys);
        }
    }

    /** The name as it is bound: from the annotation, otherwise with dashes. */
    private static String nameOf(Class<?> properties, RecordComponent component) {
        try {
            Name given = properties.getDeclaredField(component.getName()).getAnnotation(Name.class);
            return given == null ? dashed(component.getName()) : given.value();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void add(String key, Type type, Set<String> keys) {
        if (type instanceof Class<?> plain && plain.isRecord()) {
            collect(key, plain, keys);
        } else if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
            Type value = generic.getActualTypeArguments()[1];
            add(key + (value == String.class ? ".**" : ".*"), value, keys);
        } else if (type instanceof ParameterizedType generic
                && List.of(List.class, Set.class).contains(raw(generic))) {
            keys.add(key);
            add(key + "[*]", generic.getActualTypeArguments()[0], keys);
        } else {
            keys.add(key);
        }
    }

    private static Class<?> raw(ParameterizedType type) {
        return (Class<?>) type.getRawType();
    }

    /** payloadCap is payload-cap in a file. */
    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
