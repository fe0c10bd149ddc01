package io.wellkeeper.cli;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.Held;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.cli.run.Executables;
import io.wellkeeper.cli.run.GuardedCommand;
import io.wellkeeper.cli.run.OnLost;
import io.wellkeeper.cli.run.SignalRelay;
import io.wellkeeper.spi.LockNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code run}: runs a command under a lock. */
@Command(
        name = "run",
        customSynopsis = "wellkeeper run [OPTIONS] NAME... -- COMMAND [ARGUMENT...]",
        description = {
            "Run a command while holding a lock; or several locks, all of them or none; or a permit of a semaphore.",
            "",
            "The command has this process's standard input, output and error, and gets the signals INT, TERM, HUP,"
                    + " USR1 and USR2 that this process gets. It sees the lock's name in WELLKEEPER_LOCK, and in"
                    + " WELLKEEPER_FENCING_TOKEN the number that tells a storage which of two writers is the later one."
                    + " With several names these are of the first, and WELLKEEPER_LOCKS and WELLKEEPER_FENCING_TOKENS have"
                    + " a line for each, in the same order. The lock is released when the command ends, even if it left"
                    + " others running.",
            "",
            "In a terminal the command has it as if it had been started without this, for 'less', 'ssh' and Ctrl-Z; "
                    + "whoever stops it for longer than the lock lasts finds it killed.",
            "",
            "If the store is not heard of, the command and all that it has started are ended before the lock can pass"
                    + " to anybody else. On Linux with bash this holds even if this process is killed (kill -9, out of"
                    + " memory) or stopped: a small process beside it sees to that."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0-255:the command's own; 128+n if signal n ended it, or ended the wait for the lock",
            "64:wrong usage",
            "69:the store cannot be reached",
            "75:the lock was not free, or not in time",
            "79:the lock was lost while the command ran; with --on-lost=ignore the command's own instead",
            "126:the command cannot be executed",
            "127:there is no such command"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper run nightly-report -- ./report.sh --all",
            "  wellkeeper run --try --reason 'every 5 minutes' import -- ./import.sh",
            "  wellkeeper run --wait 30s --grace 1s deploy/shop -- make deploy",
            "  wellkeeper run accounts/17 accounts/42 -- ./transfer.sh",
            "  wellkeeper run --read catalogue -- ./export.sh",
            "  wellkeeper run --permits 4 workers -- ./work.sh",
            "  dump | wellkeeper run db -- sh -c 'load --fence \"$WELLKEEPER_FENCING_TOKEN\"'"
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
            names = "--read",
            description = "Hold the read lock: together with other readers, and not with who holds the lock itself.")
    private boolean read;

    @Option(names = "--permits", paramLabel = "N", description = "Hold a permit of a semaphore that has N of them.")
    private @Nullable Integer permits;

    @Option(names = "--take", paramLabel = "K", description = "With --permits: hold K of them at once. Default: 1.")
    private @Nullable Integer take;

    @Option(
            names = "--yield",
            description = "Send TERM to the command when somebody asks for the lock with 'wellkeeper revoke'. "
                    + "Without it the request is only told.")
    private boolean yields;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why the lock is wanted, for 'wellkeeper show'. Default: the command's name.")
    private @Nullable String reason;

    @Option(
            names = "--on-lost",
            paramLabel = "WHAT",
            description =
                    "When the lock is about to be lost: ${COMPLETION-CANDIDATES}. term sends TERM, and KILL after the"
                            + " grace; kill sends KILL at the last moment; ignore lets the command run on. Default: term.")
    private OnLost onLost = OnLost.TERM;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description =
                    "How long the command has between TERM and KILL: at most a third of the lock's validity, which"
                            + " with ZooKeeper is half of the session timeout. Default: 2s, or that third if it is less.")
    private @Nullable Duration grace;

    @Option(
            names = "--pass-store",
            description =
                    "Leave $" + RootCommand.STORE_VARIABLE + " in the command's environment, for a 'wellkeeper run' "
                            + "in it. Without this it is taken out, because there may be a password in it.")
    private boolean passStore;

    @Parameters(arity = "0..*", paramLabel = "NAME... -- COMMAND", description = "The locks' names, and what to run.")
    private List<String> words = List.of();

    private List<String> names = List.of();
    private List<String> command = List.of();

    RunCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        readWords();
        check(names, command);
        Executables executables =
                new Executables(Optional.ofNullable(root.environment().get("PATH")));
        executables.require(command.get(0));
        try (LockClient client = root.connect()) {
            SignalRelay signals = SignalRelay.install();
            try {
                return run(client, names, command, executables, signals);
            } catch (InterruptedException signalled) {
                return ExitCode.ofSignal(signals.received().orElse(2));
            }
        }
    }

    /** Sets an option that has no value; false if there is no such option. */
    boolean set(String option) {
        switch (option) {
            case "-n", "--try" -> onlyTry = true;
            case "--read" -> read = true;
            case "--yield" -> yields = true;
            case "--pass-store" -> passStore = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Sets an option to a value; false if there is no such option, or if the meaning of the value is not certain. */
    boolean set(String option, String value) {
        switch (option) {
            case "-w", "--wait" -> wait = DurationConverter.read(value);
            case "--grace" -> grace = DurationConverter.read(value);
            case "--permits" -> permits = Integer.valueOf(value);
            case "--take" -> take = Integer.valueOf(value);
            case "--reason" -> reason = value;
            case "--on-lost" -> onLost = OnLost.valueOf(value.toUpperCase(Locale.ROOT));
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Sets the words before {@code --} and the words after it. */
    void setWords(List<String> names, List<String> command) {
        this.names = names;
        this.command = command;
    }

    /** Finds the names and the command in the words that the parser left, unless {@link #setWords} has set them. */
    void readWords() {
        if (spec != null) {
            names = names();
            command = words.subList(names.size() + (isDelimiter(names.size()) ? 1 : 0), words.size());
        }
    }

    private void check(List<String> names, List<String> command) {
        if (command.isEmpty()) {
            throw wrong("no command given; put it behind --, as in: wellkeeper run NAME -- COMMAND");
        }
        if (onlyTry && wait != null) {
            throw wrong("--try and --wait exclude each other");
        }
        if (permits != null && (read || names.size() > 1)) {
            throw wrong("--permits goes with one name and without --read");
        }
        if (permits != null && permits < 1) {
            throw wrong("--permits " + permits + ": a semaphore has at least 1");
        }
        if (take != null && (permits == null || take < 1 || take > permits)) {
            throw wrong("--take needs --permits, and is 1 to as many as that");
        }
        for (String name : names) {
            try {
                LockNames.checkChosen(name);
            } catch (IllegalArgumentException bad) {
                throw wrong("Invalid value for 'NAME': " + bad.getMessage());
            }
        }
    }

    private int run(
            LockClient client, List<String> names, List<String> command, Executables executables, SignalRelay signals)
            throws InterruptedException {
        Optional<? extends Held> acquired;
        try {
            acquired = acquire(client, names, options(command));
        } catch (IllegalStateException | IllegalArgumentException mismatch) {
            throw new Failure(ExitCode.USAGE, String.valueOf(mismatch.getMessage()));
        }
        if (acquired.isEmpty()) {
            notice(onlyTry ? "somebody has the lock" : "the lock was not acquired in time");
            return ExitCode.NOT_ACQUIRED;
        }
        Held held = acquired.get();
        try {
            Set<String> secrets = passStore ? Set.of() : Set.of(RootCommand.STORE_VARIABLE);
            return new GuardedCommand(
                            command, secrets, onLost, Optional.ofNullable(grace), executables, yields, this::notice)
                    .run(held, signals);
        } finally {
            release(held);
        }
    }

    private Optional<? extends Held> acquire(LockClient client, List<String> names, LockOptions options)
            throws InterruptedException {
        Optional<Duration> limit = onlyTry ? Optional.of(Duration.ZERO) : Optional.ofNullable(wait);
        if (permits != null) {
            int wanted = take == null ? 1 : take;
            DistributedSemaphore semaphore = client.semaphore(names.get(0), permits, options);
            return limit.isPresent()
                    ? semaphore.tryAcquire(wanted, limit.get())
                    : Optional.of(semaphore.acquire(wanted));
        }
        List<DistributedLock> locks =
                names.stream().map(name -> lock(client, name, options)).toList();
        if (locks.size() == 1) {
            DistributedLock lock = locks.get(0);
            return limit.isPresent() ? lock.tryAcquire(limit.get()) : Optional.of(lock.acquire());
        }
        DistributedMultiLock all = all(client, locks);
        return limit.isPresent() ? all.tryAcquire(limit.get()) : Optional.of(all.acquire());
    }

    private DistributedMultiLock all(LockClient client, List<DistributedLock> locks) {
        try {
            return client.all(locks);
        } catch (IllegalArgumentException twice) {
            throw wrong(String.valueOf(twice.getMessage()));
        }
    }

    private DistributedLock lock(LockClient client, String name, LockOptions options) {
        return read ? client.readWriteLock(name, options).readLock() : client.lock(name, options);
    }

    private static void release(Held handle) {
        try {
            handle.close();
        } catch (LockLostException known) {
            // the exit code tells of the loss, unless the user chose to ignore it
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

    /** The words before {@code --}. Without {@code --}, an option of the command would be taken for one of ours. */
    private List<String> names() {
        List<String> given = commandLine().getParseResult().originalArgs();
        int delimiter = given.indexOf("--");
        // After "run -- NAME -- COMMAND" the parser leaves the second "--" to us.
        int names = words.indexOf("--") >= 0 && delimiter >= 0 && given.size() - delimiter - 1 == words.size()
                ? words.indexOf("--")
                : words.size() - (given.size() - delimiter - 1);
        if (delimiter < 0 || names == words.size()) {
            throw wrong(
                    words.isEmpty()
                            ? "Missing required parameter: 'NAME'"
                            : "no command given; put it behind --, as in: wellkeeper run NAME -- COMMAND");
        }
        if (names <= 0) {
            throw wrong("Missing required parameter: 'NAME'");
        }
        return words.subList(0, names);
    }

    private boolean isDelimiter(int index) {
        return index < words.size() && words.get(index).equals("--");
    }

    private RuntimeException wrong(String message) {
        return spec == null ? new PlainRun.NotPlainException(message) : new ParameterException(commandLine(), message);
    }

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec).commandLine();
    }

    private void notice(String what) {
        Main.complain(root.err(), String.join(" ", names) + ": " + what);
    }
}
