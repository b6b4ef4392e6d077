package io.postrider.support;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that was probably meant by a mistyped one. */
public final class Suggestion {
    private Suggestion() {}

    /** The candidate that is a few keystrokes away, or that starts with the word. */
    public static Optional<String> to(String word, Collection<String> candidates) {
        String wanted = word.toLowerCase(Locale.ROOT);
        int near = Math.max(1, wanted.length() / 3);
        return candidates.stream()
                .min(Comparator.comparingInt(candidate -> distance(wanted, candidate.toLowerCase(Locale.ROOT))))
                .filter(candidate -> distance(wanted, candidate.toLowerCase(Locale.ROOT)) <= near)
                .or(() -> candidates.stream()
                        .filter(candidate -> wanted.length() >= 2
                                && candidate.toLowerCase(Locale.ROOT).startsWith(wanted))
                        .findFirst());
    }

    /** {@code ; did you mean 'orders'?}, or an empty string. */
    public static String hint(String word, Collection<String> candidates) {
        return to(word, candidates)
                .map(meant -> "; did you mean '" + meant + "'?")
                .orElse("");
    }

    /** Edit distance in which swapping two neighbours counts as one edit. */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + change);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
