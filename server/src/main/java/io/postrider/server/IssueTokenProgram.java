package io.postrider.server;

import io.postrider.PostriderException;
import io.postrider.gateway.Identity.Reach;
import io.postrider.gateway.Refusal;
import io.postrider.gateway.TokenMint;
import io.postrider.server.settings.Keyring;
import io.postrider.server.settings.ServerSettings;
import io.postrider.support.TokenProgram;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** {@code postrider token}: reads the settings as the server does, but starts nothing. */
public final class IssueTokenProgram implements TokenProgram {
    @Override
    public String issue(Map<String, String> settings, TokenRequest request) {
        ServerSettings.Auth auth = auth(settings);
        String key = key(auth, request.key());
        TokenMint mint = TokenMint.of(auth.issuer(), auth.audience(), key, Keyring.secret(auth, key));
        @Nullable String user = request.user();
        try {
            if (request.all()) {
                return mint.issue("operator", null, Reach.ALL, request.lifetime());
            }
            return user == null
                    ? mint.issue(
                            String.valueOf(request.project()), request.project(), Reach.PROJECT, request.lifetime())
                    : mint.issue(user, request.project(), Reach.USER, request.lifetime());
        } catch (Refusal e) {
            throw PostriderException.refused(e.detail());
        }
    }

    private static ServerSettings.Auth auth(Map<String, String> settings) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("given", new LinkedHashMap<>(settings)));
        try {
            ConfigDataEnvironmentPostProcessor.applyTo(environment);
            return Binder.get(environment).bindOrCreate("postrider.auth", ServerSettings.Auth.class);
        } catch (BindException e) {
            throw StartRefusal.unreadable(e);
        } catch (RuntimeException e) {
            throw StartRefusal.of(e);
        }
    }

    private static String key(ServerSettings.Auth auth, @Nullable String wished) {
        TreeSet<String> keys = new TreeSet<>(auth.secrets().keySet());
        if (keys.isEmpty()) {
            throw PostriderException.refused(
                    "no secret is configured here; give the server and this command the same, such"
                            + " as: export POSTRIDER_AUTH_SECRETS_DEV=$(openssl rand -base64 48)");
        }
        if (wished == null ? keys.size() > 1 : !keys.contains(wished)) {
            throw PostriderException.refused(
                    "--key must be one of " + keys + (wished == null ? "" : ", was " + wished));
        }
        return wished == null ? keys.first() : wished;
    }
}
