package io.postrider.cli.server;

import io.postrider.PostriderException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file with settings of the server, given by {@code --config}. */
final class ConfigFile {
    /** The setting that passes it to the server. */
    static final String SETTING = "spring.config.additional-location";

    private ConfigFile() {}

    /** The value of {@link #SETTING}. Fails with the name of the option if the file is not usable. */
    static String location(Path config) {
        if (!Files.isRegularFile(config) || !Files.isReadable(config)) {
            throw PostriderException.refused("--config must be a readable file, was " + config);
        }
        if (!config.toString().matches(".*\\.(ya?ml|properties)")) {
            throw PostriderException.refused("--config must end in .yaml, .yml or .properties, was " + config);
        }
        return "file:" + config.toAbsolutePath();
    }
}
