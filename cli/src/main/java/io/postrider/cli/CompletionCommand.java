package io.postrider.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what a shell needs to complete commands and options. */
@Command(
        name = "completion",
        header = "Print a script that lets bash or zsh complete commands and options.",
        footer = {
            "  source <(postrider completion bash)                       for this shell",
            "  postrider completion > /etc/bash_completion.d/postrider   for all"
        })
final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** One script for both; which of them is asked for by habit. */
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
        return Exit.OK;
    }
}
