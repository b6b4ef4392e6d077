package io.postrider.cli;

import io.postrider.PostriderException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file of the server's settings, given by {@code --config}. */
final class ConfigFile {
    /** By which the server is told of it. */
    static final String SETTING = "spring.config.additional-location";

    private ConfigFile() {}

    /** The value of {@link #SETTING}; refused here, by the option's name, if it cannot be one. */
    static String location(Path config) {
        if (!Files.isRegularFile(config) || !Files.isReadable(config)) {
            throw PostriderException.refused("--config must be a file that can be read, was " + config);
        }
        if (!config.toString().matches(".*\\.(ya?ml|properties)")) {
            throw PostriderException.refused("--config must end in .yaml, .yml or .properties, was " + config);
        }
        return "file:" + config.toAbsolutePath();
    }
}
