package io.wellkeeper.torture;

import io.wellkeeper.testservers.DiskSpace;
import io.wellkeeper.testservers.PacketFilter;
import io.wellkeeper.testservers.ProcessClock;
import io.wellkeeper.testservers.ServerDeath;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A torture run for a user: on servers that are started for it, or on an existing store. */
public final class TortureRun implements AutoCloseable {

    private static final String EMBEDDED = ":embedded";

    /** A fault is at least this part of a session long. */
    private static final int FAULTS_PER_SESSION = 20;

    private final Servers servers;
    private final Options options;

    private TortureRun(Servers servers, Options options) {
        this.servers = servers;
        this.options = options;
    }

    /**
     * The options of a run.
     *
     * @param seed of all choices: the same seed makes the same plan
     * @param duration for how long there are faults; the run takes a few session timeouts more before and after that
     * @param sessionTimeout of the workers' clients
     * @param workers the number of worker processes
     * @param threads the number of threads in each process
     * @param locks the number of locks, of the primitives in turn
     * @param faults the names of faults and {@linkplain #scenarios scenarios}; empty for all faults that the store can
     *     have
     */
    public record Options(
            long seed,
            Duration duration,
            Duration sessionTimeout,
            int workers,
            int threads,
            int locks,
            Set<String> faults) {}

    /** The names that can be given as a store instead of a URI. */
    public static List<String> embedded() {
        return Arrays.stream(Arrangement.values())
                .map(arrangement -> arrangement.word() + EMBEDDED)
                .toList();
    }

    /**
     * Failures that have hurt users of locks, by their names: whose locks failed, and how. Such a name may be given
     * instead of the faults by which the failure showed.
     */
    public static Map<String, String> scenarios() {
        Map<String, String> stories = new LinkedHashMap<>();
        for (PastFailure failure : PastFailure.values()) {
            stories.put(failure.word(), failure.story());
        }
        return stories;
    }

    /**
     * Starts the servers, if the store is one of {@link #embedded}.
     *
     * @param store one of {@link #embedded}, or the URI of an existing store
     * @param options of the run
     * @return a run, to be {@linkplain #run started} and closed
     * @throws IllegalStateException if the servers cannot be started
     */
    public static TortureRun prepare(String store, Options options) {
        Optional<Arrangement> arrangement = Arrays.stream(Arrangement.values())
                .filter(one -> store.equals(one.word() + EMBEDDED))
                .findFirst();
        return new TortureRun(
                arrangement.isPresent() ? arrangement.get().start(options.sessionTimeout()) : new OwnServers(store),
                options);
    }

    /** The faults that are left out because this machine lacks something, one line each. */
    public List<String> leftOut() {
        List<String> lines = new ArrayList<>();
        if (!DiskSpace.canBeTaken() && !servers.faults().isEmpty()) {
            lines.add("no disk is full, because there is no prlimit");
        }
        if (!PacketFilter.isPossible()) {
            lines.add("no packet is dropped, because this is not root, or there is no nft");
        }
        if (!ProcessClock.isPossible()) {
            lines.add(
                    "no clock of a process is set, because there is no C compiler, cc, that can do what is needed for that");
        }
        return List.copyOf(lines);
    }

    /** Whether the locks are a {@link io.wellkeeper.LeaseClient}'s. */
    public boolean isOfSimpleLocks() {
        return servers.areSimple();
    }

    /** The URI of the store; it may contain a password. */
    public String uri() {
        return servers.uri();
    }

    /**
     * Runs the plan, and writes the history. The run ends if a server that was started for it dies by itself.
     *
     * @param directory an existing directory without a history
     * @return the result
     * @throws IllegalArgumentException if the store cannot have one of the faults
     * @throws IllegalStateException if no worker gets into any lock, or a fault cannot be made
     */
    public Report run(Path directory) throws InterruptedException {
        Set<FaultKind> possible = servers.allFaults();
        Set<FaultKind> chosen = options.faults().isEmpty() ? possible : EnumSet.noneOf(FaultKind.class);
        for (String name : options.faults()) {
            List<FaultKind> meant = possible.stream().filter(meantBy(name)).toList();
            if (meant.isEmpty()) {
                throw new IllegalArgumentException("this store cannot have the fault '" + name + "', only "
                        + possible.stream().map(FaultKind::word).sorted().collect(Collectors.joining(", ")));
            }
            chosen.addAll(meant);
        }
        Optional<ServerDeath> death = Optional.empty();
        try {
            Torture.run(plan(List.copyOf(chosen)), directory, servers);
        } catch (ServerDied died) {
            death = Optional.of(died.death());
        }
        return Report.of(directory, death);
    }

    /** The faults that a name means: one fault, or those of a scenario that the store can have. */
    private static Predicate<FaultKind> meantBy(String name) {
        Optional<PastFailure> scenario = PastFailure.of(name);
        return kind -> scenario.isPresent()
                ? scenario.get().faults().contains(kind)
                : kind.word().equals(name);
    }

    private Plan plan(List<FaultKind> kinds) {
        long most = 1 + options.duration().toNanos() / options.sessionTimeout().toNanos() * FAULTS_PER_SESSION;
        Plan endless = Plan.of(options.seed(), options.sessionTimeout(), kinds, Math.toIntExact(most));
        List<Plan.Fault> chosen = new ArrayList<>();
        Duration total = Duration.ZERO;
        for (Plan.Fault fault : endless.faults()) {
            if (total.compareTo(options.duration()) >= 0) {
                break;
            }
            chosen.add(fault);
            total = total.plus(fault.length()).plus(fault.quiet());
        }
        return endless.with(chosen)
                .with(
                        options.workers(),
                        options.threads(),
                        Plan.locks(options.seed(), options.locks()),
                        Plan.WELLKEEPER);
    }

    /** Stops the servers that were started. */
    @Override
    public void close() {
        servers.close();
    }
}
