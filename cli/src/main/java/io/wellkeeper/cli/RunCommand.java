package io.wellkeeper.cli;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.cli.run.Executables;
import io.wellkeeper.cli.run.GuardedCommand;
import io.wellkeeper.cli.run.OnLost;
import io.wellkeeper.cli.run.SignalRelay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code run}: a command under a lock. */
@Command(
        name = "run",
        customSynopsis = "wellkeeper run [OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        description = {
            "Run a command while holding a lock.",
            "",
            "The command has this process's standard input, output and error, and gets the signals INT, TERM, HUP, USR1 "
                    + "and USR2 that this process gets. It sees the lock's name in WELLKEEPER_LOCK, and in "
                    + "WELLKEEPER_FENCING_TOKEN the number that tells a storage which of two writers is the later one. "
                    + "The lock is released when the command ends, even if it left others running.",
            "",
            "If the store is not heard of, the command and all of its process group are ended before the lock can pass "
                    + "to anybody else."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0-255:the command's own; 128+n if signal n ended it, or ended the wait for the lock",
            "64:wrong usage",
            "69:the store cannot be reached",
            "75:the lock was not free, or not in time",
            "79:the lock was lost while the command ran",
            "126:the command cannot be executed",
            "127:there is no such command"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper run nightly-report -- ./report.sh --all",
            "  wellkeeper run --try --reason 'every 5 minutes' import -- ./import.sh",
            "  wellkeeper run --wait 30s --grace 1s deploy/shop -- make deploy",
            "  dump | wellkeeper run backup -- sh -c 'load --fence \"$WELLKEEPER_FENCING_TOKEN\"'"
        })
final class RunCommand implements Callable<Integer> {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = {"-n", "--try"},
            description = "Do not wait: exit with 75 if somebody has the lock.")
    private boolean onlyTry;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Exit with 75 if the lock is not acquired in this time, such as 30s, 500ms or 5 (seconds). "
                    + "Default: wait for ever.")
    private @Nullable Duration wait;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why the lock is wanted, for 'wellkeeper show'. Default: the command's name.")
    private @Nullable String reason;

    @Option(
            names = "--on-lost",
            paramLabel = "WHAT",
            description =
                    "When the lock is about to be lost: ${COMPLETION-CANDIDATES}. term sends TERM, and KILL after "
                            + "the grace; kill sends KILL at the last moment; ignore lets the command run on. Default: term.")
    private OnLost onLost = OnLost.TERM;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description =
                    "How long the command has between TERM and KILL: at most a third of the lock's validity, which "
                            + "with ZooKeeper is half of the session timeout. Default: 2s, or that third if it is less.")
    private @Nullable Duration grace;

    @Parameters(index = "0", paramLabel = "NAME", converter = LockNameConverter.class, description = "The lock's name.")
    private String name = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "COMMAND", description = "What to run, and its arguments.")
    private List<String> words = List.of();

    RunCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        List<String> command = command();
        if (onlyTry && wait != null) {
            throw wrong("--try and --wait exclude each other");
        }
        Executables executables =
                new Executables(Optional.ofNullable(root.environment().get("PATH")));
        executables.require(command.get(0));
        try (LockClient client = root.connect()) {
            SignalRelay signals = SignalRelay.install();
            try {
                return run(client.lock(name, options(command)), command, executables, signals);
            } catch (InterruptedException signalled) {
                return ExitCode.ofSignal(signals.received().orElse(2));
            }
        }
    }

    private int run(DistributedLock lock, List<String> command, Executables executables, SignalRelay signals)
            throws InterruptedException {
        Optional<LockHandle> acquired = acquire(lock);
        if (acquired.isEmpty()) {
            notice(onlyTry ? "somebody has the lock" : "the lock was not acquired in time");
            return ExitCode.NOT_ACQUIRED;
        }
        LockHandle handle = acquired.get();
        try {
            return new GuardedCommand(command, onLost, Optional.ofNullable(grace), executables, this::notice)
                    .run(handle, signals);
        } finally {
            release(handle);
        }
    }

    private Optional<LockHandle> acquire(DistributedLock lock) throws InterruptedException {
        if (onlyTry) {
            return lock.tryAcquire();
        }
        return wait == null ? Optional.of(lock.acquire()) : lock.tryAcquire(wait);
    }

    private static void release(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException known) {
            // the exit code says so, unless the user chose to ignore it
        }
    }

    private LockOptions options(List<String> command) {
        String why =
                reason != null ? reason : String.valueOf(Path.of(command.get(0)).getFileName());
        try {
            return LockOptions.builder().reason(why).build();
        } catch (IllegalArgumentException tooLong) {
            throw wrong("--reason: " + tooLong.getMessage());
        }
    }

    /** What comes after {@code --}; without it, an option of the command would be taken for one of ours. */
    private List<String> command() {
        boolean delimited = commandLine().getParseResult().originalArgs().contains("--");
        // After "run -- NAME" the parser leaves the second "--" to us.
        List<String> command = !words.isEmpty() && words.get(0).equals("--") ? words.subList(1, words.size()) : words;
        if (!delimited || command.isEmpty()) {
            throw wrong("no command given; put it behind --, as in: wellkeeper run NAME -- COMMAND");
        }
        return command;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(commandLine(), message);
    }

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }

    private void notice(String what) {
        Main.complain(commandLine().getErr(), name + ": " + what);
    }
}
