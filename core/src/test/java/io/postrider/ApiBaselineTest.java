package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The public API is what {@code core/api/postrider-core.txt} lists, so that no change of it goes unnoticed in a review. Removing or
 * changing a line breaks users.
 */
@Tag("once")
class ApiBaselineTest {
    private static final Path BASELINE = Path.of("api/postrider-core.txt");
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    @Test
    void the_public_api_is_the_one_that_is_listed() throws Exception {
        List<String> current = listing();
        if (Boolean.getBoolean("postrider.api.accept")) {
            Files.createDirectories(BASELINE.getParent());
            Files.write(BASELINE, current);
        }
        List<String> listed = Files.readAllLines(BASELINE);
        List<String> changes = new ArrayList<>();
        without(listed, current).forEach(line -> changes.add("- " + line));
        without(current, listed).forEach(line -> changes.add("+ " + line));
        assertThat(changes)
                .as(
                        "changes of the public API. A line with - breaks users and needs a major release. To accept them, run"
                                + " `mvn -pl core -am test -Dtest=ApiBaselineTest -Dpostrider.api.accept=true` and commit "
                                + BASELINE)
                .isEmpty();
        assertThat(listed).hasSizeGreaterThan(300);
    }

    private static List<String> without(List<String> lines, List<String> others) {
        return lines.stream().filter(line -> !others.contains(line)).toList();
    }

    private static List<String> listing() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : publicTypes()) {
            lines.add(header(type));
            members(type).map(member -> type.getName() + ": " + member).sorted().forEach(lines::add);
        }
        return lines;
    }

    private static List<Class<?>> publicTypes() throws IOException, URISyntaxException, ClassNotFoundException {
        Path classes = Path.of(Postrider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> types = new ArrayList<>();
        for (String apiPackage : List.of("io.postrider", "io.postrider.admin")) {
            try (Stream<Path> files = Files.list(classes.resolve(apiPackage.replace('.', '/')))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    String name = file.getFileName().toString().replace(".class", "");
                    Class<?> type = Postrider.class.getClassLoader().loadClass(apiPackage + "." + name);
                    if (isVisible(type)) {
                        types.add(type);
                    }
                }
            }
        }
        types.sort(Comparator.comparing(Class::getName));
        return types;
    }

    private static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers())
                && !type.isAnonymousClass()
                && (outer == null || isVisible(outer));
    }

    private static String header(Class<?> type) {
        String kind = type.isRecord() ? "record" : type.isEnum() ? "enum" : type.isInterface() ? "interface" : "class";
        String above = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                .map(java.lang.reflect.Type::getTypeName)
                .filter(name -> !name.equals("java.lang.Object") && !name.equals("java.lang.Record"))
                .collect(Collectors.joining(", "));
        String modifiers = (Modifier.isFinal(type.getModifiers()) ? "final " : "") + (type.isSealed() ? "sealed " : "");
        return modifiers + kind + " " + type.getName() + (above.isEmpty() ? "" : " : " + above);
    }

    private static Stream<String> members(Class<?> type) {
        Stream<String> fields = Arrays.stream(type.getDeclaredFields())
                .filter(ApiBaselineTest::isPromised)
                .map(Field::toGenericString);
        Stream<String> constructors = Arrays.stream(type.getDeclaredConstructors())
                .filter(ApiBaselineTest::isPromised)
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
        return (Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()))
                && !member.isSynthetic()
                && !(member instanceof Executable code && code.isSynthetic());
    }
}
