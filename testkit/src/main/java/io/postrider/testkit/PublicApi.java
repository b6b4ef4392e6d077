package io.postrider.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public API of a jar: everything public or protected in it, except in packages named {@code internal}. It is listed in a file
 * of the repository, so that no change of it goes unnoticed in a review.
 */
public final class PublicApi {
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    private final List<String> lines;

    private PublicApi(List<String> lines) {
        this.lines = lines;
    }

    /** The API of the jar, or of the directory of classes, that contains this class. */
    public static PublicApi beside(Class<?> one) {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : visibleTypes(one)) {
            lines.add(header(type));
            members(type).map(member -> type.getName() + ": " + member).sorted().forEach(lines::add);
        }
        return new PublicApi(lines);
    }

    /** Fails if the API is not the listed one. With {@code -Dpostrider.api.accept=true} it writes the file instead. */
    public void isListedIn(Path file) throws IOException {
        if (Boolean.getBoolean("postrider.api.accept")) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, lines);
        }
        List<String> listed = Files.readAllLines(file);
        List<String> changes = new ArrayList<>();
        without(listed, lines).forEach(line -> changes.add("- " + line));
        without(lines, listed).forEach(line -> changes.add("+ " + line));
        assertThat(changes)
                .as(
                        "changes of the public API. A line with - breaks users and needs a major release. To accept them, run this"
                                + " test with -Dpostrider.api.accept=true and commit " + file)
                .isEmpty();
        assertThat(listed).as("lines of " + file).isNotEmpty();
    }

    /** Fails if a signature mentions a type that may change in any release. */
    public void mentionsNothingInternal() {
        assertThat(lines).as("the public API").isNotEmpty();
        assertThat(lines.stream().filter(line -> line.contains(".internal.")))
                .as("public signatures with a type of a package named internal")
                .isEmpty();
    }

    private static List<String> without(List<String> lines, List<String> others) {
        Set<String> known = Set.copyOf(others);
        return lines.stream().filter(line -> !known.contains(line)).toList();
    }

    private static List<Class<?>> visibleTypes(Class<?> one) {
        List<Class<?>> types = new ArrayList<>();
        for (String name : classNames(one)) {
            Class<?> type = load(name, one.getClassLoader());
            if (isVisible(type)) {
                types.add(type);
            }
        }
        types.sort(Comparator.comparing(Class::getName));
        return types;
    }

    private static List<String> classNames(Class<?> one) {
        try {
            Path place = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            return filesIn(place).stream()
                    .filter(name -> name.endsWith(".class") && !name.contains("/internal/") && !name.contains("-info."))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** In a build up to the phase test it is a directory, in one up to package a jar. */
    private static List<String> filesIn(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            try (Stream<Path> files = Files.walk(place)) {
                return files.map(file -> place.relativize(file).toString().replace('\\', '/'))
                        .toList();
            }
        }
        try (JarFile jar = new JarFile(place.toFile())) {
            return jar.stream().map(entry -> entry.getName()).toList();
        }
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return isPromised(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (outer == null || isVisible(outer));
    }

    private static String header(Class<?> type) {
        String kind = type.isRecord()
                ? "record"
                : type.isEnum()
                        ? "enum"
                        : type.isAnnotation() ? "annotation" : type.isInterface() ? "interface" : "class";
        String above = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                .map(Type::getTypeName)
                .filter(name -> !name.equals("java.lang.Object") && !name.equals("java.lang.Record"))
                .collect(Collectors.joining(", "));
        String modifiers = (Modifier.isFinal(type.getModifiers()) ? "final " : "") + (type.isSealed() ? "sealed " : "");
        return modifiers + kind + " " + type.getName() + (above.isEmpty() ? "" : " : " + above);
    }

    private static Stream<String> members(Class<?> type) {
        Stream<String> fields = Arrays.stream(type.getDeclaredFields())
                .filter(PublicApi::isPromised)
                .map(Field::toGenericString);
        Stream<String> constructors = Arrays.stream(type.getDeclaredConstructors())
                .filter(PublicApi::isPromised)
                .map(Constructor::toGenericString);
        Stream<String> methods = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> isPromised(method) && !OF_EVERY_OBJECT.contains(method.getName()))
                .map(Method::toGenericString);
        String prefix = type.getName() + ".";
        return Stream.of(fields, constructors, methods)
                .flatMap(lines -> lines)
                .map(line -> line.replace(" " + prefix, " "));
    }

    private static boolean isPromised(Member member) {
        return isPromised(member.getModifiers()) && !member.isSynthetic();
    }

    private static boolean isPromised(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
