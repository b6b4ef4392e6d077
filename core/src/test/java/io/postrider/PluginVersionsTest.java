package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/**
 * The BOM has no parent, because a project that imports it would also import the versions that the parent manages. It therefore
 * repeats the versions of its plugins.
 */
@Tag("once")
class PluginVersionsTest {
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    @Test
    void the_bom_uses_the_plugin_versions_of_the_parent() throws Exception {
        Map<String, String> bom = pluginVersions("../bom/pom.xml");
        assertThat(bom).isNotEmpty();
        assertThat(pluginVersions("../pom.xml")).containsAllEntriesOf(bom);
    }

    /** By artifact; a version that is a property is resolved. */
    private static Map<String, String> pluginVersions(String file) throws Exception {
        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of(file).toFile());
        NodeList plugins = (NodeList)
                XPATH.evaluate("/project/build/pluginManagement/plugins/plugin", pom, XPathConstants.NODESET);
        Map<String, String> versions = new HashMap<>();
        for (int i = 0; i < plugins.getLength(); i++) {
            String version = XPATH.evaluate("version", plugins.item(i));
            versions.put(
                    XPATH.evaluate("artifactId", plugins.item(i)),
                    version.startsWith("${")
                            ? XPATH.evaluate("/project/properties/" + version.substring(2, version.length() - 1), pom)
                            : version);
        }
        return versions;
    }
}
