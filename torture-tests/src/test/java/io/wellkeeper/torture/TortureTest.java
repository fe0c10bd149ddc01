package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real processes, real servers, real faults: the locks keep what they promise. Without properties each store has the faults that
 * only its servers can have, and a few of the others.
 */
@Tag("full")
class TortureTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration BOUND = Duration.ofSeconds(4); // the machine does more than this

    private static final Duration REST = Duration.ofMillis(60); // others are on the machine too

    /** What any worker can meet, each on some of the stores that can have it. */
    private static final Map<Arrangement, List<FaultKind>> OF_WORKERS = Map.ofEntries(
            Map.entry(
                    Arrangement.ZOOKEEPER,
                    List.of(FaultKind.KILL, FaultKind.CLIENT_CLOCK_BACK, FaultKind.DELAY, FaultKind.REPEATED_CUTS)),
            Map.entry(Arrangement.ZOOKEEPER_ENSEMBLE, List.of(FaultKind.PAUSE_AT_REQUEST, FaultKind.DROP)),
            Map.entry(Arrangement.REDIS, List.of(FaultKind.CLOCK_STEP, FaultKind.DEAFNESS, FaultKind.LOST_COUNTS)),
            Map.entry(
                    Arrangement.REDIS_SNAPSHOTS,
                    List.of(FaultKind.CUT, FaultKind.CLIENT_CLOCK_FORWARD, FaultKind.BURST, FaultKind.SILENCE_WAITER)),
            Map.entry(
                    Arrangement.REDIS_SENTINEL,
                    List.of(FaultKind.LOST_REPLY, FaultKind.CUT_WAITER, FaultKind.DROP_WAITER)),
            Map.entry(Arrangement.REDIS_CLUSTER, List.of(FaultKind.SILENCE, FaultKind.PAUSE)),
            Map.entry(
                    Arrangement.POSTGRESQL,
                    List.of(FaultKind.CLOCK_STEP, FaultKind.REFUSED_REPETITION, FaultKind.KILL_WAITER)),
            Map.entry(Arrangement.MARIADB, List.of(FaultKind.MUTENESS, FaultKind.OTHER_DRIVER, FaultKind.DROP)),
            Map.entry(Arrangement.SQLITE, List.of(FaultKind.PAUSE_WAITER, FaultKind.SHORT_PAUSE)));

    /** What befalls simple locks, on servers that others have tortured in all the ways that these can have. */
    private static final Map<Arrangement, List<FaultKind>> OF_SIMPLE_LOCKS = Map.of(
            Arrangement.ZOOKEEPER_SIMPLE,
            List.of(FaultKind.END_SESSION, FaultKind.SILENCE, FaultKind.LOST_REPLY),
            Arrangement.REDIS_SIMPLE,
            List.of(FaultKind.FLUSH, FaultKind.PAUSE, FaultKind.REFUSED_REPETITION),
            Arrangement.REDLOCK,
            List.of(FaultKind.KILL_LEADER, FaultKind.PAUSE_LEADER, FaultKind.DEAFNESS),
            Arrangement.MARIADB_SIMPLE,
            List.of(FaultKind.RESTART, FaultKind.MUTENESS, FaultKind.OTHER_DRIVER));

    private static final Set<Arrangement> FENCED = Set.of(
            Arrangement.POSTGRESQL, Arrangement.POSTGRESQL_SIMPLE, Arrangement.MARIADB, Arrangement.MARIADB_SIMPLE);

    private static final long SEED = Long.getLong("io.wellkeeper.torture.seed", 22);
    private static final int FAULTS = Integer.getInteger("io.wellkeeper.torture.faults", 0);
    private static final Set<String> STORES =
            Set.of(System.getProperty("io.wellkeeper.torture.stores", "all").split(","));

    static Stream<Arrangement> stores() {
        return Arrays.stream(Arrangement.values())
                .filter(store -> STORES.contains("all") || STORES.contains(store.word()))
                .filter(store -> FAULTS > 0 || OF_WORKERS.containsKey(store) || OF_SIMPLE_LOCKS.containsKey(store));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("stores")
    void run_everyStore_locksKeepTheirPromises(
            Arrangement store, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws InterruptedException {
        try (Servers servers = store.start(SESSION)) {
            List<FaultKind> kinds = FAULTS > 0 ? List.copyOf(servers.allFaults()) : few(store, servers);
            int faults = FAULTS > 0 ? FAULTS : kinds.size();
            Plan chosen = Plan.of(SEED, SESSION, kinds, faults).within(BOUND);
            Plan plan = FAULTS > 0
                    ? chosen.with(3, 12, Plan.locks(SEED, 48), Plan.WELLKEEPER)
                    : chosen.resting(REST).with(workers(kinds), chosen.threads(), chosen.locks(), Plan.WELLKEEPER);
            Torture.run(plan, directory, servers);
            Run run = Run.read(directory);
            Checker.Verdict verdict = Checker.check(run);
            assertThat(verdict.violations()).as("%s in %s", plan, directory).isEmpty();
            assertThat(run.faults())
                    .extracting(fault -> fault.kind)
                    .containsExactlyElementsOf(plan.faults().stream()
                            .map(fault -> fault.kind().word())
                            .toList());
            assertThat(run.faults())
                    .allSatisfy(fault -> assertThat(fault.healed).isNotEqualTo(Section.NEVER));
            assertThat(run.locks()).allSatisfy(lock -> assertThat(lock.sections).isNotEmpty());
            assertThat(run.accepted()).isNotEmpty();
            assertThat(run.fenced().isEmpty()).isEqualTo(!FENCED.contains(store));
            System.out.println(store.word() + "\n" + Summary.of(run, verdict));
        }
    }

    /** What needs to know the requests of its clients can befall a store that is there already, too. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void run_aStoreThatIsThere_meetsFaultsAtRequests(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws InterruptedException {
        List<FaultKind> kinds = List.of(FaultKind.LOST_REPLY, FaultKind.PAUSE_AT_REQUEST);
        try (Servers servers = Arrangement.REDIS.start(SESSION)) {
            Servers there = new OwnServers(servers.uri());
            assertThat(there.allFaults()).containsAll(kinds);
            Plan plan =
                    Plan.of(SEED, SESSION, kinds, kinds.size()).within(BOUND).resting(REST);
            Torture.run(plan, directory, there);
            Run run = Run.read(directory);
            assertThat(Checker.check(run).violations())
                    .as("%s in %s", plan, directory)
                    .isEmpty();
            assertThat(run.faults()).hasSize(kinds.size());
        }
    }

    /**
     * All that can befall these servers, but that a clock is set one way on one store and the other way on the next; and what is said
     * of {@link #OF_WORKERS}, if this machine can do it.
     */
    private static List<FaultKind> few(Arrangement store, Servers servers) {
        if (OF_SIMPLE_LOCKS.containsKey(store)) {
            return OF_SIMPLE_LOCKS.get(store).stream()
                    .filter(servers.allFaults()::contains)
                    .toList();
        }
        List<FaultKind> kinds = new ArrayList<>(servers.faults());
        kinds.remove(store.ordinal() % 2 == 0 ? FaultKind.CLOCK_FORWARD : FaultKind.CLOCK_BACK);
        OF_WORKERS.getOrDefault(store, List.of()).stream()
                .filter(servers.allFaults()::contains)
                .forEach(kinds::add);
        return kinds;
    }

    @Test
    void ofWorkers_together_areAllThatThereAre() {
        assertThat(OF_WORKERS.values().stream().flatMap(List::stream))
                .containsAll(Arrays.stream(FaultKind.values())
                        .filter(kind -> kind.victim() != FaultKind.Victim.SERVERS)
                        .toList());
    }

    /** Processes cost most. A third one is needed behind a waiter that fails: its view of the queue is its own. */
    private static int workers(List<FaultKind> kinds) {
        return kinds.stream().anyMatch(kind -> kind.victim() == FaultKind.Victim.WAITER) ? 3 : 2;
    }

    @Test
    void of_sameSeed_isTheSamePlan() {
        Plan plan = Plan.of(22, SESSION, 20);
        assertThat(Plan.of(22, SESSION, 20)).isEqualTo(plan);
        assertThat(Plan.of(23, SESSION, 20).faults()).isNotEqualTo(plan.faults());
    }
}
