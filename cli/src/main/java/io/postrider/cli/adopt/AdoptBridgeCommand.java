package io.postrider.cli.adopt;

import io.postrider.admin.Adoptions;
import io.postrider.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Adds the trigger. */
@Command(
        name = "bridge",
        header = "Add a trigger that also emits or enqueues each new row, in the writer's transaction.",
        description = {
            "If the table has rows, new rows are captured and delivered after `adopt import`, so that older rows come first.",
            "Needs one moment without open write transactions on the table, and tries to find it for --within."
        },
        footer = {
            "  postrider adopt bridge outbox --topic orders --dry-run",
            "  postrider adopt bridge outbox --topic orders",
            "  postrider adopt bridge enrichment_outbox --queue enrichment"
        })
public final class AdoptBridgeCommand extends AdoptStepCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table: schema.table, or a table in public.")
    @SuppressWarnings("NullAway.Init") // required
    private String table;

    @Mixin
    private final MappingOptions mapping = new MappingOptions();

    public AdoptBridgeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    Adoptions.Result run(Adoptions adoptions) {
        return adoptions.bridge(mapping.of(table));
    }
}
