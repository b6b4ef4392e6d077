package io.postrider.livechat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.postrider.Postrider;
import java.io.IOException;

/**
 * A process that only runs the workers of the chat: {@code java … WorkerMain}, with the database's JDBC URL in the environment
 * variable {@code LIVECHAT_JDBC_URL} (an argument would show its password to every user of the machine). It prints {@link
 * Supervisor#READY} when it is ready, and ends when its standard input does.
 */
public final class WorkerMain {
    private static final int CONNECTIONS = 20;

    private WorkerMain() {}

    /** Works until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        String url = System.getenv("LIVECHAT_JDBC_URL");
        if (url == null) {
            throw new IllegalArgumentException("set LIVECHAT_JDBC_URL to the database, as jdbc:postgresql://…");
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(4);
        try (HikariDataSource pool = new HikariDataSource(config);
                Postrider postrider = Postrider.on(pool)) {
            LiveChat chat = LiveChat.on(postrider, pool);
            chat.listeners().forEach(postrider::add);
            chat.workers().forEach(postrider::add);
            postrider.start();
            System.out.println(Supervisor.READY);
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        }
    }
}
