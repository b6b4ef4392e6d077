package io.postrider.cli;

import io.postrider.cli.terminal.ExitCode;
import io.postrider.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the completion script for bash and zsh. */
@Command(
        name = "completion",
        header = "Print a completion script for bash or zsh.",
        footer = {
            "  source <(postrider completion bash)                       for the current shell",
            "  postrider completion > /etc/bash_completion.d/postrider   for all users"
        })
final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** The script is the same for both; the argument exists because other tools have it. */
    @Parameters(
            arity = "0..1",
            paramLabel = "SHELL",
            description = "bash or zsh; the script is the same (default: bash).")
    private Shell shell = Shell.bash;

    private enum Shell {
        bash,
        zsh
    }

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().println(AutoComplete.bash("postrider", spec.root().commandLine()));
        return ExitCode.OK;
    }
}
