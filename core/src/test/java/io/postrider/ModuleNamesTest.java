package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every jar has a module name of its own, which is the name of its top package. The parent writes it into the manifest. */
@Tag("once")
class ModuleNamesTest {
    private static final Path ROOT = Path.of("..");

    @Test
    void every_module_has_the_name_of_its_top_package() throws IOException {
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        assertThat(parent).contains("<Automatic-Module-Name>${postrider.module}</Automatic-Module-Name>");
        Map<String, String> moduleOfName = new HashMap<>();
        for (String module : matches("<module>([^<]+)</module>", parent)) {
            String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
            if (pom.contains("<packaging>pom</packaging>")) {
                continue; // it has no jar
            }
            List<String> names = matches("<postrider\\.module>([^<]+)</postrider\\.module>", pom);
            assertThat(names).as("property postrider.module of " + module).hasSize(1);
            String name = names.get(0);
            assertThat(ROOT.resolve(module).resolve("src/main/java").resolve(name.replace('.', '/')))
                    .as(module)
                    .isDirectory();
            assertThat(moduleOfName.put(name, module))
                    .as("another module named " + name)
                    .isNull();
        }
        assertThat(moduleOfName)
                .containsEntry("io.postrider", "core")
                .containsEntry("io.postrider.gateway", "gateway")
                .hasSizeGreaterThan(10);
    }

    private static List<String> matches(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.results().map(found -> found.group(1)).toList();
    }
}
