package io.wellkeeper.cli;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The common options of all subcommands: the store, and how much to print. */
@Command(
        name = "wellkeeper",
        description = "Distributed locks from the command line.",
        versionProvider = RootCommand.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper demo",
            "  wellkeeper run --try backup -- pg_dump shop  # one at a time for this user",
            "  export WELLKEEPER_STORE=zookeeper://zk1:2181,zk2:2181,zk3:2181",
            "  wellkeeper run nightly-report -- ./report.sh --all",
            "  wellkeeper ls orders/",
            "  wellkeeper show orders/42 --watch"
        })
final class RootCommand implements Runnable {

    static final String STORE_VARIABLE = "WELLKEEPER_STORE";

    private static final String LOGGER = "org.slf4j.simpleLogger.";
    private static final List<String> LOG_LEVELS = List.of(
            "defaultLogLevel",
            "log.org.apache.zookeeper",
            "log.org.apache.curator",
            "log.org.sqlite",
            "log.io.lettuce",
            "log.io.netty");

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Map<String, String> environment;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--store",
            paramLabel = "URI",
            scope = ScopeType.INHERIT,
            description = "The lock store, such as zookeeper://host:2181/chroot, jdbc:postgresql://host/database or "
                    + "redis://host. Default, but for demo and torture: $" + STORE_VARIABLE
                    + "; if that is not set, a file for the processes of this user on this machine.")
    private @Nullable String store;

    @Option(
            names = "--store-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Read the store's URI from a file, so that its password is not seen among the processes.")
    private @Nullable Path storeFile;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Log, and print stack traces.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show the version.")
    private boolean version;

    RootCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Called without a subcommand: there is nothing to do. */
    @Override
    public void run() {
        CommandSpec known = Objects.requireNonNull(spec);
        throw new ParameterException(known.commandLine(), "no command given");
    }

    boolean verbose() {
        return verbose;
    }

    /** The writer for messages. */
    PrintWriter err() {
        return spec == null
                ? new PrintWriter(System.err, true)
                : spec.commandLine().getErr();
    }

    /** Sets an option that has no value; false if there is no such option. */
    boolean set(String option) {
        if (!option.equals("--verbose")) {
            return false;
        }
        verbose = true;
        return true;
    }

    /** Sets an option to a value; false if there is no such option. */
    boolean set(String option, String value) {
        switch (option) {
            case "--store" -> store = value;
            case "--store-file" -> storeFile = Path.of(value);
            default -> {
                return false;
            }
        }
        return true;
    }

    Map<String, String> environment() {
        return environment;
    }

    /** The store that the user named on the command line, or in a file. */
    Optional<String> storeOption() {
        if (storeFile == null) {
            return Optional.ofNullable(store).map(named -> notBlank("--store", named));
        }
        if (store != null) {
            throw new Failure(ExitCode.USAGE, "--store and --store-file exclude each other");
        }
        try {
            return Optional.of(notBlank("--store-file " + storeFile, Files.readString(storeFile)));
        } catch (IOException unreadable) {
            throw new Failure(ExitCode.USAGE, "--store-file " + storeFile + " cannot be read: " + unreadable);
        }
    }

    /**
     * Refuses a blank URI: an unset variable must not turn a lock of many machines into one of this user's processes
     * only.
     */
    private static String notBlank(String source, String uri) {
        if (uri.isBlank()) {
            throw new Failure(ExitCode.USAGE, source + " names no store: it is empty");
        }
        return uri.strip();
    }

    /**
     * Connects to the store that the user named on the command line or else in the environment. If there is none,
     * connects to a file for the processes of this user on this machine.
     */
    LockClient connect() {
        String uri = storeOption()
                .or(() -> Optional.ofNullable(environment.get(STORE_VARIABLE))
                        .map(named -> notBlank(STORE_VARIABLE, named)))
                .or(() -> stateFolder().map(RootCommand::fileStore))
                .orElseThrow(() -> new Failure(
                        ExitCode.USAGE,
                        "no store given; use --store URI or set " + STORE_VARIABLE
                                + ", for example to zookeeper://localhost:2181"));
        return connect(uri, ClientOptions.defaults().sessionTimeout());
    }

    /** The folder in which the user's programs keep their state. */
    private Optional<Path> stateFolder() {
        return Optional.ofNullable(environment.get("XDG_STATE_HOME"))
                .filter(named -> !named.isBlank())
                .map(Path::of)
                .or(() -> Optional.ofNullable(environment.get("HOME"))
                        .filter(named -> !named.isBlank())
                        .map(home -> Path.of(home, ".local", "state")));
    }

    private static String fileStore(Path state) {
        Path folder = state.resolve("wellkeeper");
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw new Failure(
                    ExitCode.STORE_UNAVAILABLE,
                    "no store given, and the folder for a file of locks cannot be made: " + failed);
        }
        return "jdbc:sqlite:" + folder.resolve("locks.db");
    }

    /** Connects to a store. */
    LockClient connect(String uri, Duration sessionTimeout) {
        return connect(uri, sessionTimeout, LockClient::connect);
    }

    /** Connects to a store by a given method, for locks or for leases. */
    <C extends LockSource> C connect(String uri, Duration sessionTimeout, BiFunction<String, ClientOptions, C> way) {
        if (verbose) {
            LOG_LEVELS.forEach(property -> System.setProperty(LOGGER + property, "info"));
            System.setProperty(LOGGER + "showDateTime", "true");
            System.setProperty(LOGGER + "dateTimeFormat", "HH:mm:ss.SSS");
        } else if (uri.contains("postgresql:")) {
            LogManager.getLogManager().reset(); // through it PostgreSQL's driver would write to standard error
        }
        AtomicReference<String> problem = new AtomicReference<>("it does not answer");
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(sessionTimeout)
                .closeTimeout(CLOSE_TIMEOUT)
                .listener(new LockListener() {
                    @Override
                    public void storeTrouble(String address, String told) {
                        problem.set(told);
                    }
                })
                .build();
        CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        Duration patience = options.storeTimeout().plusSeconds(1);
        CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> {
                    if (!ended.isDone()) {
                        sayWhyItWaits(patience, problem.get());
                    }
                });
        try {
            return way.apply(uri, options);
        } catch (IllegalArgumentException wrong) {
            throw new Failure(ExitCode.USAGE, "wrong store URI: " + wrong.getMessage());
        } finally {
            ended.complete(null);
        }
    }

    /**
     * Tells the user why the tool waits. If the store could not be reached, connecting would have failed by now; so it
     * is a store that only asks for time.
     */
    private void sayWhyItWaits(Duration waited, String problem) {
        Main.complain(
                err(), "still waiting after " + waited.toSeconds() + " s for the store, which had said: " + problem);
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"wellkeeper " + (version == null ? "(not packaged)" : version)};
        }
    }
}
