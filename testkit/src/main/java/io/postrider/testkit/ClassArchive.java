package io.postrider.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The class data sharing (CDS) archive of a child JVM. The JVM cannot archive classes from directories, so the class path is this
 * JVM's with each directory packed into a jar. The files are deleted when this JVM exits.
 */
final class ClassArchive {
    private final Path home;
    private final String classPath;

    private ClassArchive(Path home, String classPath) {
        this.home = home;
        this.classPath = classPath;
    }

    static ClassArchive create() {
        try {
            Path home = Files.createTempDirectory("postrider-classes-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(home), "class-archive-delete"));
            List<String> jars = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                Path path = Path.of(entry);
                jars.add(
                        Files.isDirectory(path)
                                ? jar(path, home.resolve(jars.size() + ".jar")).toString()
                                : entry);
            }
            return new ClassArchive(home, String.join(File.pathSeparator, jars));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String classPath() {
        return classPath;
    }

    /** Options that write the archive when the child exits normally. */
    List<String> writing() {
        return List.of("-XX:ArchiveClassesAtExit=" + file(), "-Xlog:disable", "-Xlog:all=error:stderr");
    }

    /** Options that use the archive; if the JVM cannot, it starts silently without it. */
    List<String> reading() {
        return List.of("-XX:SharedArchiveFile=" + file(), "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr");
    }

    private Path file() {
        return home.resolve("classes.jsa");
    }

    private static Path jar(Path directory, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private static void delete(Path home) {
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(home);
        } catch (IOException e) {
            // a file stays in the temporary directory
        }
    }
}
