package io.wellkeeper.cli;

import io.wellkeeper.LockStoreException;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The entry point of {@code wellkeeper}. */
public final class Main {

    private Main() {}

    /** Runs the tool and ends the process with its exit code. */
    public static void main(String[] args) {
        // A writer straight over the stream, because only then it tells that nobody reads any more.
        CommandLine tool = commandLine(System.getenv(), args).setOut(new PrintWriter(System.out, true));
        System.exit(tool.execute(args));
    }

    /**
     * As much of the tool as a command line needs: to look at all subcommands takes longer than most of them run.
     *
     * @param environment variables of the process
     * @param args what will be executed
     * @return ready to execute; {@code setOut} and {@code setErr} redirect what it prints
     */
    static CommandLine commandLine(Map<String, String> environment, String... args) {
        RootCommand root = new RootCommand(environment);
        CommandLine tool = new CommandLine(root);
        Map<String, Object> all = subcommands(root);
        Set<String> named = new HashSet<>(List.of(args));
        boolean isWhole = named.contains("help") || all.keySet().stream().noneMatch(named::contains);
        all.forEach((name, command) -> {
            if (isWhole || named.contains(name)) {
                tool.addSubcommand(command);
            }
        });
        return tool.setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((wrong, line) -> usage(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command, root));
    }

    /** By their names, in the order of the help. */
    private static Map<String, Object> subcommands(RootCommand root) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("demo", new DemoCommand(root));
        all.put("run", new RunCommand(root));
        all.put("ls", new LsCommand(root));
        all.put("show", new ShowCommand(root));
        all.put("watch", new WatchCommand(root));
        all.put("revoke", new RevokeCommand(root));
        all.put("break", new BreakCommand(root));
        all.put("doctor", new DoctorCommand(root));
        all.put("schema", new SchemaCommand());
        all.put("torture", new CommandLine(new TortureCommand(root)).addSubcommand(new TortureCheckCommand()));
        all.put("help", new HelpCommand());
        return all;
    }

    private static int usage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        complain(
                command.getErr(),
                wrong.getMessage() + "; see '" + command.getCommandSpec().qualifiedName() + " --help'");
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, CommandLine command, RootCommand root) {
        complain(command.getErr(), message(failure));
        if (root.verbose()) {
            failure.printStackTrace(command.getErr());
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

    /** Says something went wrong, in one line. */
    static void complain(PrintWriter err, String message) {
        err.println("wellkeeper: " + SafeText.of(message));
        err.flush();
    }
}
