package io.postrider.cli;

import io.postrider.cli.tail.Sequencing;
import io.postrider.cli.text.Clean;
import io.postrider.cli.text.Ink;
import io.postrider.cli.text.JsonLine;
import io.postrider.cli.text.Table;
import io.postrider.db.Database;
import io.postrider.verify.Proof;
import io.postrider.verify.Verifier;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Proves from the database that what was promised holds. */
@Command(
        name = "verify",
        header = "Prove from the database that nothing is lost, repeated or out of place.",
        description = {
            "Every committed event has exactly one position; the positions of a topic are dense up to its head; the events of"
                    + " a transaction are side by side; every listener's ledger is contiguous.",
            "May run at any time: all of it sees one snapshot. It reads the whole log, segment by segment, in the server.",
            "Exits with 1 if a promise does not hold, and shows the first few that break it."
        },
        footer = {"  postrider verify", "  postrider verify --json | jq 'select(.violations > 0)'"})
final class VerifyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Option(names = "--json", description = "An object a line, one for each promise.")
    private boolean json;

    VerifyCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Database db = database.database();
        database.requireUsable(db);
        Sequencing.catchUp(db, terminal::say);
        List<Proof> proofs = new Verifier(db).verify(progress());
        proofs.forEach(proof -> print(terminal, proof, json));
        return proofs.stream().allMatch(Proof::holds) ? Exit.OK : Exit.FAILURE;
    }

    /** One line that is overwritten; only where somebody looks. */
    private Consumer<String> progress() {
        if (!terminal.ttys().err()) {
            return step -> {};
        }
        return step -> {
            terminal.err().print("\r\u001b[K" + (step.equals("ledgers") ? "" : "looking at " + step + " …"));
            terminal.err().flush();
        };
    }

    static void print(Terminal terminal, Proof proof, boolean json) {
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
        Ink ink = terminal.ink();
        String verdict = proof.holds() ? ink.green("ok  ") : ink.red("fail");
        String note = proof.note().isEmpty() ? "" : ink.dim(" (" + proof.note() + ")");
        String broken = proof.holds() ? "" : ink.red(", broken " + Table.grouped(proof.violations()) + " times");
        terminal.out()
                .println(verdict + "  "
                        + ink.bold(String.format("%-12s %12s", proof.name(), Table.grouped(proof.counted()))) + "  "
                        + proof.promise() + broken + note);
        proof.offenders().forEach(offender -> terminal.out().println("      " + Clean.line(offender)));
    }
}
