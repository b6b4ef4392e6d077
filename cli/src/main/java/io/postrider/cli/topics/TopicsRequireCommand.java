package io.postrider.cli.topics;

import io.postrider.admin.Topics.Requirement;
import io.postrider.cli.database.DatabaseOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets which fields the events of a topic must have. */
@Command(
        name = "require",
        header = "Refuse events of a topic that have no project_id or no user_id.",
        description = "Applies to new events. A field that is not given is no longer required.",
        footer = {
            "  postrider topics require chat --project-id",
            "  postrider topics require chat --project-id --user-id",
            "  postrider topics require chat"
        })
public final class TopicsRequireCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final DatabaseOptions database;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Name of the topic.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String topic;

    @Option(names = "--project-id", description = "Events must have a project_id.")
    private boolean projectId;

    @Option(names = "--user-id", description = "Events must have a user_id.")
    private boolean userId;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public TopicsRequireCommand(Terminal terminal) {
        this.terminal = terminal;
        this.database = new DatabaseOptions(terminal);
    }

    @Override
    public Integer call() {
        Requirement requirement = new Requirement(topic, projectId, userId);
        database.with(postrider -> {
            postrider.topics().require(requirement);
            return true;
        });
        terminal.say("topic " + topic + " requires " + TopicsRequirementsCommand.fields(requirement));
        if (json) {
            terminal.out().println(TopicsRequirementsCommand.json(requirement));
        }
        return ExitCode.OK;
    }
}
