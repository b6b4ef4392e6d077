package io.postrider.cli;

import io.postrider.cli.terminal.Terminal;
import io.postrider.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs commands in this process, with an environment, an input and captured streams of their own. */
final class Shell {
    private final Map<String, String> environment = new HashMap<>();
    private String input = "";
    private Terminal.Ttys ttys = Terminal.Ttys.NONE;

    /** Without a database. */
    Shell() {}

    /** On a database, as its owner. */
    Shell(TestDatabase database) {
        environment.put("POSTRIDER_DATABASE_URL", database.jdbcUrl());
    }

    Shell with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Shell without(String variable) {
        environment.remove(variable);
        return this;
    }

    Shell withInput(String text) {
        input = text;
        return this;
    }

    Shell withTtys(Terminal.Ttys given) {
        ttys = given;
        return this;
    }

    Ran run(String... args) {
        return start(args).await();
    }

    /** In a thread of its own, for a command that goes on. */
    Running start(String... args) {
        return new Running(args);
    }

    /** Runs it and insists that it succeeds. */
    Ran ok(String... args) {
        Ran ran = run(args);
        if (ran.code() != 0) {
            throw new AssertionError(String.join(" ", args) + " failed: " + ran);
        }
        return ran;
    }

    final class Running {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final CompletableFuture<Integer> code;

        private Running(String... args) {
            Terminal terminal = new Terminal(
                    new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                    new PrintStream(out, false, StandardCharsets.UTF_8),
                    new PrintStream(err, true, StandardCharsets.UTF_8),
                    Map.copyOf(environment),
                    ttys);
            code = CompletableFuture.supplyAsync(
                    () -> {
                        int result = Main.run(terminal, args);
                        terminal.out().flush();
                        return result;
                    },
                    work -> {
                        Thread thread =
                                new Thread(work, "shell"); // the common pool of a machine with two cores has one
                        thread.setDaemon(true);
                        thread.start();
                    });
        }

        String out() {
            return out.toString(StandardCharsets.UTF_8);
        }

        String err() {
            return err.toString(StandardCharsets.UTF_8);
        }

        Ran await() {
            return new Ran(code.join(), out(), err());
        }
    }

    /** Statements as the owner, beside the commands. */
    static void execute(TestDatabase database, String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    static String ask(TestDatabase database, String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
