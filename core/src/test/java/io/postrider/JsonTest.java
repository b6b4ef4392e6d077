package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import io.postrider.testkit.PostgresTest;
import io.postrider.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What we refuse as JSON is what PostgreSQL refuses, and nothing else: asked of PostgreSQL itself. */
@PostgresTest
@Tag("security")
class JsonTest {
    private static final List<String> SOUND = List.of(
            "{\"order\": 12, \"items\": [{\"sku\": \"A-1\", \"n\": -2.5e+3}, null, true, false], \"note\": \"\\u00e4\\n\\\"\"}",
            "[1, 0.5, -0, 10E2, \"\\ud83d\\ude00\", {}, [], \"ü😀\", \"\\\\u0000\"]",
            " \t\r\n\"text\" ",
            "-1",
            "{\"a\": {\"b\": {\"c\": [[[]]]}}}");
    private static final String SIGNS = "{}[]:,\"\\u0019aefnlrst.+- \t\n\ud83d\u00e4/'";

    @Test
    void our_parser_and_postgresql_agree_on_valid_and_malformed_texts(TestDatabase database) throws SQLException {
        List<String> texts = new ArrayList<>(SOUND);
        Random random = new Random(7);
        for (int i = 0; i < 6_000; i++) {
            texts.add(broken(SOUND.get(random.nextInt(SOUND.size())), random));
        }
        List<String> differ = new ArrayList<>();
        int sound = 0;
        try (Connection connection = database.dataSource().getConnection()) {
            for (String text : texts) {
                boolean ours = isJson(text);
                boolean theirs = isHalf(text) ? false : isJson(connection, text);
                sound += ours ? 1 : 0;
                if (ours != theirs) {
                    differ.add((ours ? "we take " : "we refuse ") + text);
                }
            }
        }
        assertThat(differ).isEmpty();
        assertThat(sound).as("both verdicts occur").isBetween(500, 5_500);
    }

    @Test
    void depth_is_bounded_and_not_by_the_stack() throws Exception {
        List<Boolean> verdicts = new ArrayList<>();
        Thread small = new Thread(
                null,
                () -> {
                    for (int deep : new int[] {1_000, 1_001, 200_000}) {
                        verdicts.add(isJson("[".repeat(deep) + "]".repeat(deep)));
                        verdicts.add(isJson("{\"a\":".repeat(deep) + "1" + "}".repeat(deep)));
                    }
                },
                "small-stack",
                160 * 1024);
        small.start();
        small.join();
        assertThat(verdicts).containsExactly(true, true, false, false, false, false);
    }

    private static String broken(String text, Random random) {
        StringBuilder broken = new StringBuilder(text);
        for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
            int at = random.nextInt(broken.length() + 1);
            String sign = String.valueOf(SIGNS.charAt(random.nextInt(SIGNS.length())));
            switch (random.nextInt(3)) {
                case 0 -> broken.insert(at, sign);
                case 1 -> broken.delete(at, Math.min(broken.length(), at + 1));
                default -> broken.replace(at, Math.min(broken.length(), at + 1), sign);
            }
        }
        return broken.toString();
    }

    private static boolean isJson(String text) {
        try {
            Json.refuseUnlessJson("payload", text);
            return true;
        } catch (PostriderException e) {
            return false;
        }
    }

    /** The driver would send a '?' for half a character. */
    private static boolean isHalf(String text) {
        return text.chars().filter(c -> Character.isSurrogate((char) c)).count()
                != 2
                        * text.codePoints()
                                .filter(Character::isSupplementaryCodePoint)
                                .count();
    }

    private static boolean isJson(Connection connection, String text) throws SQLException {
        try (PreparedStatement cast = connection.prepareStatement("select ?::jsonb")) {
            cast.setString(1, text);
            try (ResultSet row = cast.executeQuery()) {
                return row.next();
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(text).isIn("22P02", "22P05", "22021");
            return false;
        }
    }
}
