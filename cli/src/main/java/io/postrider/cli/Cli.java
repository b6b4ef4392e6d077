package io.postrider.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_DESCRIPTION;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_DESCRIPTION_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_HEADER;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_OPTION_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_OPTION_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING;

import io.postrider.PostriderException;
import io.postrider.cli.adopt.AdoptBridgeCommand;
import io.postrider.cli.adopt.AdoptCommand;
import io.postrider.cli.adopt.AdoptCursorCommand;
import io.postrider.cli.adopt.AdoptFinishCommand;
import io.postrider.cli.adopt.AdoptImportCommand;
import io.postrider.cli.adopt.AdoptMirrorCommand;
import io.postrider.cli.adopt.AdoptPlanCommand;
import io.postrider.cli.adopt.AdoptStatusCommand;
import io.postrider.cli.adopt.AdoptUndoCommand;
import io.postrider.cli.database.DoctorCommand;
import io.postrider.cli.database.MigrateCommand;
import io.postrider.cli.database.MigratePlanCommand;
import io.postrider.cli.database.UninstallCommand;
import io.postrider.cli.database.VerifyCommand;
import io.postrider.cli.deadletters.DeadLettersCommand;
import io.postrider.cli.deadletters.DeadLettersDiscardCommand;
import io.postrider.cli.deadletters.DeadLettersListCommand;
import io.postrider.cli.deadletters.DeadLettersReplayCommand;
import io.postrider.cli.deadletters.DeadLettersShowCommand;
import io.postrider.cli.demo.DemoCommand;
import io.postrider.cli.events.EmitCommand;
import io.postrider.cli.events.TailCommand;
import io.postrider.cli.jobs.JobsCancelCommand;
import io.postrider.cli.jobs.JobsCommand;
import io.postrider.cli.jobs.JobsEnqueueCommand;
import io.postrider.cli.jobs.JobsListCommand;
import io.postrider.cli.jobs.JobsRetryCommand;
import io.postrider.cli.jobs.JobsShowCommand;
import io.postrider.cli.listeners.ListenersCommand;
import io.postrider.cli.listeners.PauseCommand;
import io.postrider.cli.listeners.ResetCommand;
import io.postrider.cli.listeners.ResumeCommand;
import io.postrider.cli.queues.QueuesCommand;
import io.postrider.cli.queues.QueuesDrainCommand;
import io.postrider.cli.queues.QueuesLeaseCommand;
import io.postrider.cli.queues.QueuesLimitCommand;
import io.postrider.cli.queues.QueuesListCommand;
import io.postrider.cli.queues.QueuesPauseCommand;
import io.postrider.cli.queues.QueuesResumeCommand;
import io.postrider.cli.relays.RelaysCommand;
import io.postrider.cli.relays.RelaysCompareCommand;
import io.postrider.cli.relays.RelaysGoLiveCommand;
import io.postrider.cli.relays.RelaysListCommand;
import io.postrider.cli.relays.RelaysShadowCommand;
import io.postrider.cli.relays.RelaysTestCommand;
import io.postrider.cli.schedules.SchedulesCommand;
import io.postrider.cli.schedules.SchedulesListCommand;
import io.postrider.cli.schedules.SchedulesPauseCommand;
import io.postrider.cli.schedules.SchedulesRemoveCommand;
import io.postrider.cli.schedules.SchedulesResumeCommand;
import io.postrider.cli.schedules.SchedulesSetCommand;
import io.postrider.cli.server.ServeCommand;
import io.postrider.cli.server.TokenCommand;
import io.postrider.cli.terminal.CommonOptions;
import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import io.postrider.cli.text.PrintableText;
import io.postrider.cli.topics.TopicsCommand;
import io.postrider.cli.topics.TopicsRequireCommand;
import io.postrider.cli.topics.TopicsRequirementsCommand;
import io.postrider.embedded.EmbeddedPostgresException;
import io.postrider.support.Suggestion;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Registers all commands, lays out their help, and turns errors into messages and exit codes. */
final class Cli {
    /** Examples come first. picocli has no section for them, so they are declared as the footer and shown at the top. */
    private static final List<String> HELP = List.of(
            SECTION_KEY_HEADER,
            SECTION_KEY_FOOTER_HEADING,
            SECTION_KEY_FOOTER,
            SECTION_KEY_SYNOPSIS_HEADING,
            SECTION_KEY_SYNOPSIS,
            SECTION_KEY_DESCRIPTION_HEADING,
            SECTION_KEY_DESCRIPTION,
            SECTION_KEY_PARAMETER_LIST_HEADING,
            SECTION_KEY_PARAMETER_LIST,
            SECTION_KEY_OPTION_LIST_HEADING,
            SECTION_KEY_OPTION_LIST,
            SECTION_KEY_COMMAND_LIST_HEADING,
            SECTION_KEY_COMMAND_LIST);

    private final Terminal terminal;
    private final CommandLine commands;

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(
                    "'" + text + "' is not an id; an id is a UUID such as 6f0e3b0e-1f0e-7b0e-8f0e-1f0e3b0e1f0e");
        }
    }

    Cli(Terminal terminal) {
        this.terminal = terminal;
        this.commands = new CommandLine(new PostriderCommand(terminal))
                .addSubcommand(migrate(terminal))
                .addSubcommand(new EmitCommand(terminal))
                .addSubcommand(new TailCommand(terminal))
                .addSubcommand(new ListenersCommand(terminal))
                .addSubcommand(relays(terminal))
                .addSubcommand(deadLetters(terminal))
                .addSubcommand(jobs(terminal))
                .addSubcommand(queues(terminal))
                .addSubcommand(schedules(terminal))
                .addSubcommand(topics(terminal))
                .addSubcommand(adopt(terminal))
                .addSubcommand(new PauseCommand(terminal))
                .addSubcommand(new ResumeCommand(terminal))
                .addSubcommand(new ResetCommand(terminal))
                .addSubcommand(new DoctorCommand(terminal))
                .addSubcommand(new VerifyCommand(terminal))
                .addSubcommand(new UninstallCommand(terminal))
                .addSubcommand(new BenchCommand())
                .addSubcommand(new ProveCommand(terminal))
                .addSubcommand(new DemoCommand(terminal))
                .addSubcommand(new ServeCommand(terminal))
                .addSubcommand(new TokenCommand(terminal))
                .addSubcommand(new CompletionCommand(terminal));
        Help.Ansi ansi = terminal.colours().hasColours() ? Help.Ansi.ON : Help.Ansi.OFF;
        commands.registerConverter(UUID.class, Cli::id);
        commands.setColorScheme(Help.defaultColorScheme(ansi))
                .setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(terminal.err(), true, StandardCharsets.UTF_8))
                .setUsageHelpWidth(100)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler((e, args) -> misused(e))
                .setExecutionExceptionHandler((e, command, parsed) -> failed(e, parsed));
        commands.getSubcommands().values().forEach(Cli::addCommonOptions);
        arrange(commands);
    }

    /** Added here instead of in each command, so that no command can lack them. */
    private static void addCommonOptions(CommandLine command) {
        command.getCommandSpec().addMixin("common", CommandSpec.forAnnotatedObject(new CommonOptions()));
        command.getSubcommands().values().forEach(Cli::addCommonOptions);
    }

    private static CommandLine migrate(Terminal terminal) {
        return new CommandLine(new MigrateCommand(terminal)).addSubcommand(new MigratePlanCommand(terminal));
    }

    private static CommandLine topics(Terminal terminal) {
        return new CommandLine(new TopicsCommand(terminal))
                .addSubcommand(new TopicsRequirementsCommand(terminal))
                .addSubcommand(new TopicsRequireCommand(terminal));
    }

    private static CommandLine deadLetters(Terminal terminal) {
        return new CommandLine(new DeadLettersCommand(terminal))
                .addSubcommand(new DeadLettersListCommand(terminal))
                .addSubcommand(new DeadLettersShowCommand(terminal))
                .addSubcommand(new DeadLettersReplayCommand(terminal))
                .addSubcommand(new DeadLettersDiscardCommand(terminal));
    }

    private static CommandLine relays(Terminal terminal) {
        return new CommandLine(new RelaysCommand(terminal))
                .addSubcommand(new RelaysListCommand(terminal))
                .addSubcommand(new RelaysTestCommand(terminal))
                .addSubcommand(new RelaysShadowCommand(terminal))
                .addSubcommand(new RelaysCompareCommand(terminal))
                .addSubcommand(new RelaysGoLiveCommand(terminal))
                .addSubcommand(new PauseCommand(terminal))
                .addSubcommand(new ResumeCommand(terminal))
                .addSubcommand(new ResetCommand(terminal));
    }

    private static CommandLine jobs(Terminal terminal) {
        return new CommandLine(new JobsCommand(terminal))
                .addSubcommand(new JobsListCommand(terminal))
                .addSubcommand(new JobsShowCommand(terminal))
                .addSubcommand(new JobsEnqueueCommand(terminal))
                .addSubcommand(new JobsRetryCommand(terminal))
                .addSubcommand(new JobsCancelCommand(terminal));
    }

    private static CommandLine queues(Terminal terminal) {
        return new CommandLine(new QueuesCommand(terminal))
                .addSubcommand(new QueuesListCommand(terminal))
                .addSubcommand(new QueuesPauseCommand(terminal))
                .addSubcommand(new QueuesResumeCommand(terminal))
                .addSubcommand(new QueuesDrainCommand(terminal))
                .addSubcommand(new QueuesLimitCommand(terminal))
                .addSubcommand(new QueuesLeaseCommand(terminal));
    }

    private static CommandLine schedules(Terminal terminal) {
        return new CommandLine(new SchedulesCommand(terminal))
                .addSubcommand(new SchedulesListCommand(terminal))
                .addSubcommand(new SchedulesSetCommand(terminal))
                .addSubcommand(new SchedulesRemoveCommand(terminal))
                .addSubcommand(new SchedulesPauseCommand(terminal))
                .addSubcommand(new SchedulesResumeCommand(terminal));
    }

    private static CommandLine adopt(Terminal terminal) {
        return new CommandLine(new AdoptCommand(terminal))
                .addSubcommand(new AdoptPlanCommand(terminal))
                .addSubcommand(new AdoptBridgeCommand(terminal))
                .addSubcommand(new AdoptImportCommand(terminal))
                .addSubcommand(new AdoptMirrorCommand(terminal))
                .addSubcommand(new AdoptCursorCommand(terminal))
                .addSubcommand(new AdoptStatusCommand(terminal))
                .addSubcommand(new AdoptFinishCommand(terminal))
                .addSubcommand(new AdoptUndoCommand(terminal));
    }

    private static void arrange(CommandLine command) {
        command.setHelpSectionKeys(HELP);
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        usage.footerHeading("%nExamples:%n")
                .synopsisHeading("%nUsage: ")
                .descriptionHeading(usage.description().length == 0 ? "" : "%n")
                .parameterListHeading("%nArguments:%n")
                .optionListHeading("%nOptions:%n")
                .commandListHeading("%nCommands:%n")
                .sortOptions(false)
                .abbreviateSynopsis(true);
        command.getSubcommands().values().forEach(Cli::arrange);
    }

    int run(String... args) {
        return commands.execute(args);
    }

    CommandLine commands() {
        return commands;
    }

    private int misused(ParameterException e) {
        CommandLine command = e.getCommandLine();
        complain(
                e instanceof UnmatchedArgumentException unmatched
                        ? unmatched(command, unmatched.getUnmatched().get(0))
                        : lowered(String.valueOf(e.getMessage())));
        terminal.say("See: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static String unmatched(CommandLine command, String word) {
        if (word.startsWith("-")) {
            String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
            List<String> options =
                    new ArrayList<>(command.getCommandSpec().optionsMap().keySet());
            return "unknown option '" + name + "'" + Suggestion.hint(name, options);
        }
        return command.getSubcommands().isEmpty()
                ? "unexpected argument '" + word + "'"
                : "unknown command '" + word + "'"
                        + Suggestion.hint(word, command.getSubcommands().keySet());
    }

    private int failed(Exception e, ParseResult parsed) {
        if (isVerbose(parsed)) {
            e.printStackTrace(terminal.err());
        }
        if (e instanceof PostriderException ours) {
            complain(ours.getMessage());
            return ExitCode.of(ours);
        }
        if (e instanceof EmbeddedPostgresException) {
            complain(e.getMessage());
            return ExitCode.FAILURE;
        }
        complain("unexpected error: " + e + (isVerbose(parsed) ? "" : "; --verbose shows the stack trace"));
        return ExitCode.FAILURE;
    }

    private static boolean isVerbose(ParseResult parsed) {
        ParseResult command = parsed;
        while (command.hasSubcommand()) {
            command = command.subcommand();
        }
        return command.hasMatchedOption(CommonOptions.VERBOSE);
    }

    private void complain(@org.jspecify.annotations.Nullable String message) {
        terminal.out().flush();
        terminal.say(terminal.errorColours().red("postrider: ") + PrintableText.line(String.valueOf(message)));
    }

    /** Messages of picocli begin with a capital letter; ours follow a colon. */
    private static String lowered(String message) {
        return message.isEmpty() ? message : Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }
}
