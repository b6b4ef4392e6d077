package io.postrider.cli.database;

import io.postrider.admin.VerifyResult;
import io.postrider.cli.events.Sequencing;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.AnsiColours;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.Table;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Verifies the guarantees on the data of a database. */
@Command(
        name = "verify",
        header = "Verify that no event is lost, duplicated or out of order.",
        description = {
            "Checks that every committed event has exactly one position, that the positions of a topic have no gaps, that the"
                    + " events of a transaction are contiguous, and that every listener has recorded its progress without a gap.",
            "Can run at any time, and reads one snapshot. The server reads the whole log, segment by segment. If no node is running,"
                    + " it first assigns positions to committed events.",
            "Exits with 1 if a guarantee does not hold, and shows the first violations."
        },
        footer = {"  postrider verify", "  postrider verify --json | jq 'select(.violations > 0)'"})
public final class VerifyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "Print one JSON object per line, one for each guarantee.")
    private boolean json;

    public VerifyCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        List<VerifyResult> proofs = database.with(postrider -> {
            Sequencing.catchUp(postrider.log(), terminal::say);
            return postrider.verifier().verify(progress());
        });
        proofs.forEach(proof -> print(terminal, proof, json));
        return proofs.stream().allMatch(VerifyResult::holds) ? ExitCode.OK : ExitCode.FAILURE;
    }

    /** One line that is overwritten; only on a terminal. */
    private Consumer<String> progress() {
        if (!terminal.ttys().err()) {
            return step -> {};
        }
        return step -> {
            terminal.err().print("\r\u001b[K" + (step.equals("ledgers") ? "" : "checking " + step + " …"));
            terminal.err().flush();
        };
    }

    public static void print(Terminal terminal, VerifyResult proof, boolean json) {
        if (json) {
            terminal.out()
                    .println(new JsonLine()
                            .text("name", proof.name())
                            .text("promise", proof.promise())
                            .number("counted", proof.counted())
                            .number("violations", proof.violations())
                            .texts("offenders", proof.offenders())
                            .text("note", proof.note()));
            return;
        }
        AnsiColours colours = terminal.colours();
        String verdict = proof.holds() ? colours.green("ok  ") : colours.red("fail");
        String note = proof.note().isEmpty() ? "" : colours.dim(" (" + proof.note() + ")");
        String broken = proof.holds() ? "" : colours.red(", broken " + Table.grouped(proof.violations()) + " times");
        terminal.out()
                .println(verdict + "  "
                        + colours.bold(String.format("%-12s %12s", proof.name(), Table.grouped(proof.counted()))) + "  "
                        + proof.promise() + broken + note);
        proof.offenders().forEach(offender -> terminal.out().println("      " + PrintableText.line(offender)));
    }
}
