package io.wellkeeper.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code help}: the same as {@code --help}, as a subcommand. */
@Command(
        name = "help",
        description = "Show the help of a command.",
        footerHeading = "%nExamples:%n",
        footer = "  wellkeeper help run")
final class HelpCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "Which one. Default: the tool as a whole.")
    private String name = "";

    @Override
    public void run() {
        CommandLine self = Objects.requireNonNull(spec).commandLine();
        CommandLine whole = self.getParent();
        CommandLine command = name.isEmpty() ? whole : whole.getSubcommands().get(name);
        if (command == null) {
            throw new ParameterException(self, "unknown command '" + name + "'");
        }
        command.usage(self.getOut());
    }
}
