package io.postrider.server;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.server.settings.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataNotFoundException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.TypeDescriptor;
import org.yaml.snakeyaml.error.YAMLException;

/** Explains why a server does not start: what is wrong, and what to do. */
final class StartRefusal {
    private StartRefusal() {}

    /** The first cause that is our own, or that the operator can fix; otherwise the exception itself. */
    static RuntimeException of(RuntimeException thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            @Nullable RuntimeException known = known(cause);
            if (known != null) {
                return known;
            }
        }
        return thrown;
    }

    private static @Nullable RuntimeException known(Throwable cause) {
        if (cause instanceof PostriderException ours) {
            return ours;
        }
        if (cause instanceof PortInUseException inUse) {
            return taken(inUse.getPort(), inUse);
        }
        if (cause instanceof java.net.BindException) {
            return PostriderException.refused(
                    "the server cannot listen on this address (--bind, --port): " + cause.getMessage());
        }
        if (cause instanceof ConfigDataNotFoundException) {
            return PostriderException.refused("a configuration file is missing: " + cause.getMessage());
        }
        return cause instanceof YAMLException
                ? PostriderException.refused("a configuration file is not valid YAML: " + cause.getMessage())
                : null;
    }

    private static PostriderException taken(int port, Exception cause) {
        return new PostriderException(
                Kind.CONFLICT,
                "port " + port + " is in use; choose another with --port, or a free one with --port 0",
                cause);
    }

    /**
     * Runs before a database is started or migrated for a server that cannot listen. A port that is taken after this check
     * is reported when the server starts to listen.
     */
    static void refuseTakenPort(ServerSettings.Http http) {
        if (http.port() == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket(http.port(), 1, InetAddress.getByName(http.bind()))) {
            socket.getLocalPort();
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("in use")) {
                throw taken(http.port(), e);
            }
            throw PostriderException.refused("the server cannot listen on " + http.bind() + ":" + http.port() + ": "
                    + e.getMessage() + "; change --bind or --port");
        }
    }

    /** A value that its setting does not accept; for an enum, lists the valid values. */
    static PostriderException unreadable(BindException e) {
        Throwable last = e;
        @Nullable PostriderException choice = null;
        for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof PostriderException ours) {
                return ours;
            }
            if (cause instanceof ConversionFailedException failed) {
                choice = choice(e, failed);
            }
            last = cause;
        }
        return choice != null
                ? choice
                : PostriderException.refused("setting " + e.getName() + " cannot be read: " + last.getMessage());
    }

    private static @Nullable PostriderException choice(BindException e, ConversionFailedException failed) {
        TypeDescriptor element = failed.getTargetType().getElementTypeDescriptor();
        Object @Nullable [] choices =
                (element == null ? failed.getTargetType() : element).getType().getEnumConstants();
        return choices == null
                ? null
                : PostriderException.refused("setting " + e.getName() + " must be one of "
                        + Arrays.stream(choices)
                                .map(one -> one.toString().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + "; was '" + failed.getValue() + "'");
    }
}
