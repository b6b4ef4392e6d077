package io.postrider.proof.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class GreatestPositionsTest {
    @Test
    void says_what_looking_at_every_one_says() {
        long firstSeed = System.nanoTime();
        for (long seed = firstSeed; seed < firstSeed + 200; seed++) {
            Random random = new Random(seed);
            int size = random.nextInt(30);
            long[] numbers = random.longs(size, 1, 40).toArray();
            long[] positions = random.longs(size, 1, 100).toArray();
            GreatestPositions greatest = new GreatestPositions();
            IntStream.range(0, size).forEach(i -> greatest.add(numbers[i], positions[i]));
            for (int question = 0; question < 50; question++) {
                long first = random.nextInt(42);
                long last = random.nextInt(42);
                assertThat(greatest.within(first, last))
                        .as("seed %d, %d..%d", seed, first, last)
                        .isEqualTo(naive(numbers, positions, first, last));
                assertThat(greatest.upTo(last))
                        .as("seed %d, ..%d", seed, last)
                        .isEqualTo(naive(numbers, positions, 0, last));
            }
        }
    }

    private static long naive(long[] numbers, long[] positions, long first, long last) {
        return IntStream.range(0, numbers.length)
                .filter(i -> numbers[i] >= first && numbers[i] <= last)
                .mapToLong(i -> positions[i])
                .max()
                .orElse(0);
    }
}
