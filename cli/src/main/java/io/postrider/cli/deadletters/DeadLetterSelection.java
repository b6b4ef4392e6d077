package io.postrider.cli.deadletters;

import io.postrider.PostriderException;
import io.postrider.PostriderException.Kind;
import io.postrider.admin.DeadLetter;
import io.postrider.admin.DeadLetters;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.text.Table;
import io.postrider.cli.text.Table.Cell;
import io.postrider.cli.text.Table.Column;
import io.postrider.support.Suggestion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects the dead letters to replay or discard: by id, by filter, or all. */
@Command
final class DeadLetterSelection {
    private static final int PAGE = 500;
    private static final int CAUSES = 10;

    @Parameters(
            arity = "0..*",
            paramLabel = "ID",
            description = "Ids of dead letters, as shown by `dead-letters list`.")
    private List<Long> ids = List.of();

    @Mixin
    private final DeadLetterFilter filter = new DeadLetterFilter();

    @Option(names = "--all", description = "Select all dead letters.")
    private boolean all;

    @Option(names = "--dry-run", description = "Show the selection, and change nothing.")
    private boolean dryRun;

    boolean isDryRun() {
        return dryRun;
    }

    /** Finds them. Exactly one way of choosing must be used, so that nothing is chosen by accident. */
    Chosen choose(DeadLetters deadLetters) {
        int ways = (ids.isEmpty() ? 0 : 1) + (filter.isEmpty() ? 0 : 1) + (all ? 1 : 0);
        if (ways != 1) {
            throw PostriderException.refused(
                    "select dead letters in exactly one way: by ids, by a filter such as --listener, or with --all; "
                            + (ways == 0 ? "none was given" : "more than one was given"));
        }
        Chosen chosen = new Chosen();
        if (ids.isEmpty()) {
            DeadLetters.Filter wanted = all ? DeadLetters.Filter.all() : filter.filter();
            chosen.addAll(deadLetters, wanted);
            String listener = wanted.listener();
            if (chosen.ids().isEmpty() && listener != null) {
                refuseUnknown(listener, deadLetters.listeners());
            }
        } else {
            ids.stream().distinct().forEach(id -> chosen.add(one(deadLetters, id)));
        }
        return chosen;
    }

    /** An unknown listener is probably a typo, and must not look like a listener without dead letters. */
    private static void refuseUnknown(String listener, List<String> known) {
        if (!known.contains(listener)) {
            throw new PostriderException(Kind.NOT_FOUND, "no listener " + listener + Suggestion.hint(listener, known));
        }
    }

    static DeadLetter one(DeadLetters deadLetters, long id) {
        return deadLetters.find(DeadLetters.Filter.one(id), 0, 1).stream()
                .findFirst()
                .orElseThrow(() -> new PostriderException(
                        Kind.NOT_FOUND, "no dead letter " + id + "; `postrider dead-letters list` shows them"));
    }

    /** Their ids, and their number by cause. */
    static final class Chosen {
        private final List<Long> ids = new ArrayList<>();
        private final Map<Cause, Long> causes = new LinkedHashMap<>();

        private record Cause(String listener, String error) {}

        private void add(DeadLetter letter) {
            ids.add(letter.id());
            causes.merge(
                    new Cause(letter.listener(), PrintableText.shorten(PrintableText.line(letter.error()), 80)),
                    1L,
                    Long::sum);
        }

        /** Reads in pages, so that only the ids stay in memory. */
        private void addAll(DeadLetters deadLetters, DeadLetters.Filter filter) {
            List<DeadLetter> page = deadLetters.find(filter, 0, PAGE);
            while (!page.isEmpty()) {
                page.forEach(this::add);
                page = deadLetters.find(filter, page.get(page.size() - 1).id(), PAGE);
            }
        }

        List<Long> ids() {
            return ids;
        }

        /** {@code 1 dead letter}, {@code 12 dead letters}. */
        String count() {
            return Table.grouped(ids.size()) + (ids.size() == 1 ? " dead letter" : " dead letters");
        }

        /** Prints the causes to standard output, as the data of a dry run. */
        void print(Terminal terminal) {
            table().lines(terminal.colours()).forEach(terminal.out()::println);
            terminal.out().flush();
            tellOfMore(terminal);
        }

        /** Prints the causes to standard error, beside a prompt or other output. */
        void tell(Terminal terminal) {
            Table table = table();
            if (!table.isEmpty()) {
                table.lines(terminal.errorColours()).forEach(terminal::say);
            }
            tellOfMore(terminal);
        }

        private void tellOfMore(Terminal terminal) {
            if (causes.size() > CAUSES) {
                terminal.say("and " + (causes.size() - CAUSES) + " more causes");
            }
        }

        /** The number of dead letters by cause, the most frequent first. */
        private Table table() {
            Table table = new Table(Column.right("COUNT"), Column.left("LISTENER"), Column.left("ERROR"));
            causes.entrySet().stream()
                    .sorted(Map.Entry.<Cause, Long>comparingByValue().reversed())
                    .limit(CAUSES)
                    .forEach(entry -> table.row(
                            Cell.of(entry.getValue()),
                            Cell.of(entry.getKey().listener()),
                            Cell.of(entry.getKey().error())));
            return table;
        }
    }
}
