package io.postrider.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, from the file that the build puts into the jar. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"postrider " + number() + " (Java " + System.getProperty("java.version") + ")"};
    }

    static String number() {
        try (InputStream in =
                Version.class.getResourceAsStream("/META-INF/maven/io.postrider/postrider-cli/pom.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "development");
        } catch (IOException e) {
            return "development";
        }
    }
}
