package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Limits that keep the code readable, over the main sources of every module. They are generous: what exceeds one has more than
 * one reason to change. An exception is listed with its reason; one that is not needed any more must be removed.
 */
@Tag("once")
class BudgetTest {
    private static final int FILE_LINES = 500;
    private static final int METHOD_LINES = 60;
    private static final int CONSTRUCTOR_ARGUMENTS = 6;
    private static final int PUBLIC_TYPES = 70;

    private static final Map<String, String> LONG_FILES = Map.of(
            "gateway/META-INF/resources/postrider.js", "browsers load the client as one file, without a bundler");
    private static final Map<String, String> LONG_METHODS = Map.of();
    private static final Map<String, String> WIDE_CONSTRUCTORS = Map.of();

    private static final Map<String, Integer> FILES = new TreeMap<>();
    private static final Map<String, Integer> METHODS = new TreeMap<>();
    private static final Map<String, Integer> CONSTRUCTORS = new TreeMap<>();
    private static final List<String> API = new ArrayList<>();

    @BeforeAll
    static void measure() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src/main"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    if (file.toString().endsWith(".java")) {
                        sources.add(file);
                    }
                    if (file.toString().matches(".*\\.(java|sql|js)")) {
                        FILES.put(nameOf(file), Files.readAllLines(file).size());
                    }
                }
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(sources));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Measuring(unit, positions).scan(unit, null);
            }
        }
    }

    @Test
    void files_are_short() {
        assertThat(FILES).hasSizeGreaterThan(500);
        assertThat(over(FILES, FILE_LINES)).containsExactlyInAnyOrderElementsOf(LONG_FILES.keySet());
    }

    @Test
    void methods_are_short() {
        assertThat(METHODS).hasSizeGreaterThan(2_000);
        assertThat(over(METHODS, METHOD_LINES)).containsExactlyInAnyOrderElementsOf(LONG_METHODS.keySet());
    }

    /** Of classes: the components of a record are its content, and are named where it is made by {@code with…} methods. */
    @Test
    void constructors_take_few_arguments() {
        assertThat(CONSTRUCTORS).hasSizeGreaterThan(300);
        assertThat(over(CONSTRUCTORS, CONSTRUCTOR_ARGUMENTS))
                .containsExactlyInAnyOrderElementsOf(WIDE_CONSTRUCTORS.keySet());
    }

    @Test
    void the_public_api_of_the_library_is_small() {
        assertThat(API).isNotEmpty().hasSizeLessThanOrEqualTo(PUBLIC_TYPES);
    }

    /** pg_stat_statements and pg_stat_activity show a statement by its name, so one name is one text. */
    @Test
    void statements_have_unique_names_that_begin_with_their_package() throws IOException {
        Pattern inline = Pattern.compile("Sql\\.(?:text|call)\\(\\s*\"([^\"]+)\",\\s*([^;]+);");
        Map<String, String> texts = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java/io/postrider/internal"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                Matcher matcher = inline.matcher(Files.readString(file));
                while (matcher.find()) {
                    String name = matcher.group(1);
                    String text = matcher.group(2).replaceAll("\\s+", " ");
                    String before = texts.put(name, text);
                    if (before != null && !before.equals(text)) {
                        wrong.add(name + " is: " + before + " and: " + text);
                    }
                    if (!file.toString().contains("/internal/" + name.split("/")[0] + "/")) {
                        wrong.add(name + " is in " + file);
                    }
                    if (Files.exists(Path.of("src/main/resources/postrider/sql/" + name + ".sql"))) {
                        wrong.add(name + " is in " + file + " and a file");
                    }
                }
            }
        }
        assertThat(texts).hasSizeGreaterThan(50);
        assertThat(wrong).isEmpty();
    }

    /** nanoTime may be negative and may overflow: the greater of two values need not be the later one. */
    @Test
    void values_of_nano_time_are_subtracted_and_never_compared() throws IOException {
        String read = "System\\.nanoTime\\(\\)";
        assertThat(matches("(?<!-)[<>]=?\\s*" + read // a lambda's arrow is no comparison
                        + "|(?<![-+] )" + read + "\\s*[<>]=?\\s*[^<>=\\s]"
                        + "|Math\\.(max|min)\\((?!\\d+, )[^;]*" + read
                        + "|nanoTime[\\s\\S]*comparingLong\\(|comparingLong\\([\\s\\S]*nanoTime"))
                .isEmpty();
        assertThat(matches(read)).hasSizeGreaterThan(50);
    }

    /** The waits after failures double in one place, which has the cap and the jitter. */
    @Test
    void only_backoff_doubles_a_duration() throws IOException {
        assertThat(matches("multipliedBy\\(2\\)|\\*= 2;")).containsExactly("core/io/postrider/Backoff.java");
    }

    /** The main sources that contain this. */
    private static List<String> matches(String pattern) throws IOException {
        Pattern compiled = Pattern.compile(pattern);
        List<String> found = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    if (compiled.matcher(Files.readString(file)).find()) {
                        found.add(nameOf(file));
                    }
                }
            }
        }
        return found;
    }

    private static List<String> over(Map<String, Integer> sizes, int limit) {
        return sizes.entrySet().stream()
                .filter(one -> one.getValue() > limit)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<Path> modules() throws IOException {
        List<Path> modules = new ArrayList<>();
        for (String parent : List.of("..", "../sinks", "../examples")) {
            try (Stream<Path> directories = Files.list(Path.of(parent))) {
                directories
                        .filter(module -> Files.isDirectory(module.resolve("src/main/java")))
                        .forEach(modules::add);
            }
        }
        return modules;
    }

    private static String nameOf(Path file) {
        return file.toString().replaceFirst("^(\\.\\./)+", "").replaceFirst("src/main/(java|resources)/", "");
    }

    private static final class Measuring extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private ClassTree type;

        Measuring(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitClass(ClassTree node, Void nothing) {
            String packageName = String.valueOf(unit.getPackageName());
            if (type == null
                    && node.getModifiers().getFlags().contains(Modifier.PUBLIC)
                    && (packageName.equals("io.postrider") || packageName.equals("io.postrider.admin"))) {
                API.add(packageName + "." + node.getSimpleName());
            }
            ClassTree outer = type;
            type = node;
            super.visitClass(node, nothing);
            type = outer;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            String where = unit.getPackageName() + "." + type.getSimpleName();
            String name =
                    where + "." + node.getName() + "/" + node.getParameters().size();
            METHODS.merge(name, lines(node), Math::max);
            if (node.getName().contentEquals("<init>") && type.getKind() == com.sun.source.tree.Tree.Kind.CLASS) {
                CONSTRUCTORS.merge(where, node.getParameters().size(), Math::max);
            }
            return super.visitMethod(node, nothing);
        }

        private int lines(MethodTree node) {
            long begin = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, node));
            long end = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, node));
            return (int) (end - begin + 1);
        }
    }
}
