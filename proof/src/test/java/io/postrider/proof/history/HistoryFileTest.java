package io.postrider.proof.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.postrider.proof.check.HistoryChecker;
import io.postrider.proof.check.Mutation;
import io.postrider.proof.check.SimulatedWorld;
import io.postrider.proof.check.Simulation;
import io.postrider.proof.record.HistoryRecorder;
import io.postrider.proof.record.TransactionRecorder;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
class HistoryFileTest {
    @Test
    void what_is_read_is_what_was_written() throws IOException {
        long firstSeed = System.nanoTime();
        for (long seed = firstSeed; seed < firstSeed + 20; seed++) {
            SimulatedWorld world = Simulation.world(seed);
            History written = Mutation.EXCHANGE_IN_LOG_AFTER_READING.spoil(world, new Random(seed));
            History read = HistoryFile.read(new StringReader(text(written)));
            assertThat(read.transactions()).as("seed %d", seed).isEqualTo(written.transactions());
            assertThat(text(read)).as("seed %d", seed).isEqualTo(text(written));
            assertThat(HistoryChecker.check(read)).as("seed %d", seed).isEqualTo(HistoryChecker.check(written));
        }
    }

    @Test
    void a_file_is_as_good_as_a_string(@TempDir Path folder) throws IOException {
        History written = Simulation.world(1).history(new Random(1));
        HistoryFile.write(written, folder.resolve("history"));
        assertThat(text(HistoryFile.read(folder.resolve("history")))).isEqualTo(text(written));
    }

    @Test
    void names_may_be_anything() throws IOException {
        String odd = "a\tb\nc %+é ~";
        HistoryRecorder recorder = new HistoryRecorder();
        TransactionRecorder transaction = recorder.begin();
        transaction.locked(odd, 1);
        transaction.saw("", 3);
        transaction.emitted(UUID.randomUUID(), odd, odd, 1);
        transaction.emitted(UUID.randomUUID(), "", "", 2);
        transaction.committed();
        recorder.listener(odd, odd);
        History written = recorder.history();
        History read = HistoryFile.read(new StringReader(text(written)));
        assertThat(read.transactions()).isEqualTo(written.transactions());
        assertThat(read.listeners().get(0).reader())
                .isEqualTo(written.listeners().get(0).reader());
    }

    @Test
    void a_file_that_was_cut_off_is_refused() throws IOException {
        String text = text(Simulation.world(1).silent());
        String cut = text.substring(0, text.length() - "end\n".length());
        assertThatThrownBy(() -> HistoryFile.read(new StringReader(cut)))
                .hasMessageContaining("not written to its end");
    }

    @Test
    void a_line_that_makes_no_sense_is_named() {
        assertThatThrownBy(() -> HistoryFile.read(new StringReader("something else")))
                .hasMessageStartingWith("line 1: ");
        assertThatThrownBy(() -> HistoryFile.read(new StringReader(HistoryFile.FIRST_LINE + "\ntx\tone\n")))
                .hasMessage("line 2: tx\tone");
        assertThatThrownBy(() -> HistoryFile.read(new StringReader(HistoryFile.FIRST_LINE + "\nwhat\n")))
                .hasMessage("line 2: what");
    }

    private static String text(History history) throws IOException {
        StringWriter text = new StringWriter();
        HistoryFile.write(history, text);
        return text.toString();
    }
}
