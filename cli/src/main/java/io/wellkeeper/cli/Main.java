package io.wellkeeper.cli;

import io.wellkeeper.LockStoreException;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The entry point of {@code wellkeeper}. */
public final class Main {

    private Main() {}

    /** Runs the tool and ends the process with its exit code. */
    public static void main(String[] args) {
        System.setProperty("slf4j.internal.verbosity", "WARN");
        System.setProperty(
                "slf4j.provider", "org.slf4j.simple.SimpleServiceProvider"); // else it looks for one in every jar
        OptionalInt done = execute(new RootCommand(System.getenv()), args);
        if (done.isPresent()) {
            System.exit(done.getAsInt());
        }
        // The writer is directly over the stream: only then does it tell that nobody reads the output any more.
        CommandLine tool = commandLine(System.getenv(), args).setOut(new PrintWriter(System.out, true));
        System.exit(tool.execute(args));
    }

    /**
     * Executes command lines that can be understood without the parser, because making the parser's model takes long.
     */
    private static OptionalInt execute(RootCommand root, String... args) {
        try {
            Optional<RunCommand> run = PlainRun.read(root, args);
            return run.isPresent() ? OptionalInt.of(run.get().call()) : OptionalInt.empty();
        } catch (PlainRun.NotPlainException notPlain) {
            return OptionalInt.empty();
        } catch (RuntimeException failure) {
            return OptionalInt.of(failed(failure, root));
        }
    }

    /**
     * Makes as much of the tool as a command line needs, because a model of all subcommands takes longer than most of
     * them run.
     *
     * @param environment variables of the process
     * @param args the arguments that will be executed
     * @return the tool, ready to execute; {@code setOut} and {@code setErr} redirect its output
     */
    static CommandLine commandLine(Map<String, String> environment, String... args) {
        RootCommand root = new RootCommand(environment);
        CommandLine tool = new CommandLine(root);
        Map<String, Supplier<Object>> all = subcommands(root);
        Set<String> named = new HashSet<>(List.of(args));
        boolean isWhole = named.contains("help") || all.keySet().stream().noneMatch(named::contains);
        all.forEach((name, command) -> {
            if (isWhole || named.contains(name)) {
                tool.addSubcommand(command.get());
            }
        });
        return tool.setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((wrong, line) -> usage(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, root));
    }

    /** The subcommands by their names, in the order of the help. */
    private static Map<String, Supplier<Object>> subcommands(RootCommand root) {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("demo", () -> new DemoCommand(root));
        all.put("run", () -> new RunCommand(root));
        all.put("ls", () -> new LsCommand(root));
        all.put("show", () -> new ShowCommand(root));
        all.put("watch", () -> new WatchCommand(root));
        all.put("revoke", () -> new RevokeCommand(root));
        all.put("break", () -> new BreakCommand(root));
        all.put("doctor", () -> new DoctorCommand(root));
        all.put("schema", SchemaCommand::new);
        all.put("torture", () -> new CommandLine(new TortureCommand(root)).addSubcommand(new TortureCheckCommand()));
        all.put("help", HelpCommand::new);
        return all;
    }

    private static int usage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        complain(
                command.getErr(),
                wrong.getMessage() + "; see '" + command.getCommandSpec().qualifiedName() + " --help'");
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, RootCommand root) {
        complain(root.err(), message(failure));
        if (root.verbose()) {
            failure.printStackTrace(root.err());
        }
        if (failure instanceof Failure ours) {
            return ours.exitCode();
        }
        return failure instanceof LockStoreException ? ExitCode.STORE_UNAVAILABLE : ExitCode.INTERNAL;
    }

    private static String message(Exception failure) {
        String message = failure.getMessage();
        boolean speaksForItself = failure instanceof Failure || failure instanceof LockStoreException;
        return speaksForItself && message != null ? message : failure.toString();
    }

    /** Prints an error message in one line. */
    static void complain(PrintWriter err, String message) {
        err.println("wellkeeper: " + SafeText.of(message));
        err.flush();
    }
}
