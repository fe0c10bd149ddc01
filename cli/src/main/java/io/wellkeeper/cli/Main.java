package io.wellkeeper.cli;

import io.wellkeeper.LockStoreException;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The entry point of {@code wellkeeper}. */
public final class Main {

    private Main() {}

    /** Runs the tool and ends the process with its exit code. */
    public static void main(String[] args) {
        // A writer straight over the stream, because only then it tells that nobody reads any more.
        CommandLine tool = commandLine(System.getenv()).setOut(new PrintWriter(System.out, true));
        System.exit(tool.execute(args));
    }

    /**
     * The whole tool.
     *
     * @param environment variables of the process
     * @return ready to execute; {@code setOut} and {@code setErr} redirect what it prints
     */
    static CommandLine commandLine(Map<String, String> environment) {
        RootCommand root = new RootCommand(environment);
        return new CommandLine(root)
                .addSubcommand(new DemoCommand(root))
                .addSubcommand(new RunCommand(root))
                .addSubcommand(new LsCommand(root))
                .addSubcommand(new ShowCommand(root))
                .addSubcommand(new WatchCommand(root))
                .addSubcommand(new RevokeCommand(root))
                .addSubcommand(new BreakCommand(root))
                .addSubcommand(new DoctorCommand(root))
                .addSubcommand(new SchemaCommand())
                .addSubcommand(new CommandLine(new TortureCommand(root)).addSubcommand(new TortureCheckCommand()))
                .addSubcommand(new HelpCommand())
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((wrong, args) -> usage(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command, root));
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
