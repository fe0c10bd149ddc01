package io.wellkeeper.cli;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.torture.Report;
import io.wellkeeper.torture.TortureRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code torture}: tests whether the locks of a store keep their promises while processes and connections fail. */
@Command(
        name = "torture",
        description = {
            "Use locks in several processes while these are killed, stopped and cut off, and check what they did.",
            "",
            "Whoever is inside a lock, or waits for it, is killed with -9, stopped for longer than its session lives, or its "
                    + "connections are cut, delayed or silenced by a proxy of our own. All processes write down what they do "
                    + "and see, and afterwards a checker holds that to the promises: never two inside, tokens that grow, no "
                    + "late write, a loss told before the next one comes in, a free lock given soon, nothing left behind.",
            "",
            "On a store of yours nothing befalls the servers themselves: it is only used, hard, by locks whose names begin "
                    + "with torture/. There are no proxies, and so no faults of connections, with TLS, sentinels or a Redis "
                    + "Cluster. With a store that ends in :embedded servers are started for this, and are killed, stopped and "
                    + "robbed of their data as well. $WELLKEEPER_STORE is not used.",
            "",
            "The histories and report.html, a page with a timeline, are left in a directory."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every promise was kept",
            "1:one was broken",
            "69:the store cannot be reached, or used, or a server that was started for this has died by itself"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper torture --store redis:embedded",
            "  wellkeeper torture --store redis-sentinel:embedded --seed 22 --duration 10m",
            "  wellkeeper torture --store zookeeper://zk1:2181/test --faults kill,pause",
            "  wellkeeper torture --store redis:embedded --faults tokens-start-again",
            "  wellkeeper torture check torture-22"
        })
final class TortureCommand implements Callable<Integer> {

    private static final Duration SHORTEST_SESSION = Duration.ofSeconds(1);
    private static final int MOST = 1_000;

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "The same number makes the same plan. Default: by chance.")
    private long seed = new Random().nextInt(1_000_000);

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "How long there are faults. Default: ${DEFAULT-VALUE}")
    private Duration duration = Duration.ZERO;

    @Option(
            names = "--session-timeout",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = DurationConverter.class,
            description = "After which the locks of the dead are given on. Default: ${DEFAULT-VALUE}")
    private Duration sessionTimeout = Duration.ZERO;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Processes. Default: ${DEFAULT-VALUE}")
    private int workers;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads of each process. Default: ${DEFAULT-VALUE}")
    private int threads;

    @Option(
            names = "--locks",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Locks: in turn a strict one, one with hand-overs, a read-write lock and a semaphore; over a store of simple "
                            + "locks all are of that kind. Default: ${DEFAULT-VALUE}")
    private int locks;

    @Option(
            names = "--faults",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Only these faults, or those of these scenarios. Default: all that the store can have; a wrong "
                            + "name shows them.")
    private Set<String> faults = Set.of();

    @Option(
            names = "--scenarios",
            description = "Show what has hurt users of locks, by the names of scenarios, and exit.")
    private boolean scenarios;

    @Option(names = "--out", paramLabel = "DIR", description = "A new directory. Default: torture-SEED, here.")
    private @Nullable Path out;

    TortureCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter telling = Objects.requireNonNull(spec).commandLine().getOut();
        if (scenarios) {
            TortureRun.scenarios().forEach((name, story) -> telling.printf("%-26s %s%n", name, story));
            telling.flush();
            return 0;
        }
        String store = root.storeOption()
                .orElseThrow(() -> new Failure(
                        ExitCode.USAGE,
                        "no store given; use --store URI, or --store with one of " + TortureRun.embedded()));
        check();
        Path directory = make(out == null ? Path.of("torture-" + seed) : out);
        TortureRun.Options options =
                new TortureRun.Options(seed, duration, sessionTimeout, workers, threads, locks, Set.copyOf(faults));
        Thread hook = new Thread(TortureCommand::killChildren, "cleanup");
        Runtime.getRuntime().addShutdownHook(hook);
        try (TortureRun run = TortureRun.prepare(store, options)) {
            LockSource probe = run.isOfSimpleLocks()
                    ? root.connect(run.uri(), sessionTimeout, LeaseClient::connect)
                    : root.connect(run.uri(), sessionTimeout);
            probe.close();
            say(
                    telling,
                    "torture with the seed " + seed + ", for about " + duration.toSeconds() + " s of faults, into "
                            + directory);
            run.leftOut().forEach(line -> say(telling, line));
            Report report = run.run(directory);
            int code = tell(report, "torture with the seed " + seed, directory.resolve("report.html"), telling);
            report.serverDeath().ifPresent(this::complain);
            return code == 0 && report.serverDeath().isPresent() ? ExitCode.STORE_UNAVAILABLE : code;
        } catch (IllegalArgumentException wrong) {
            throw new Failure(ExitCode.USAGE, String.valueOf(wrong.getMessage()));
        } catch (IllegalStateException failed) {
            throw new Failure(ExitCode.STORE_UNAVAILABLE, String.valueOf(failed.getMessage()));
        } finally {
            removeHook(hook);
        }
    }

    private void check() {
        for (int number : List.of(workers, threads, locks)) {
            if (number < 1 || number > MOST) {
                throw new Failure(ExitCode.USAGE, "--workers, --threads and --locks are from 1 to " + MOST);
            }
        }
        if (sessionTimeout.compareTo(SHORTEST_SESSION) < 0) {
            throw new Failure(ExitCode.USAGE, "--session-timeout is at least " + SHORTEST_SESSION.toSeconds() + " s");
        }
    }

    private void complain(ServerDeath death) {
        Main.complain(root.err(), death.message() + ", so the run ended; the last of what it wrote:");
        death.lastLines().forEach(line -> say(root.err(), "  " + SafeText.of(line)));
    }

    private static Path make(Path directory) {
        try {
            return Files.createDirectory(directory);
        } catch (IOException failed) {
            throw new Failure(ExitCode.CANNOT_CREATE, "cannot make the directory " + directory + ": " + failed);
        }
    }

    /** Kills the workers: a stopped worker would not notice that this process is gone. */
    private static void killChildren() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // the hook runs already, which is all that is needed
        }
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }

    /** Writes the page, prints the summary, and returns the exit code. */
    static int tell(Report report, String title, Path page, PrintWriter out) {
        report.writePage(page, title);
        report.text().lines().forEach(line -> out.println(SafeText.of(line)));
        say(out, "page          " + page);
        return report.isClean() ? 0 : ExitCode.EXPECTATION_FAILED;
    }
}
