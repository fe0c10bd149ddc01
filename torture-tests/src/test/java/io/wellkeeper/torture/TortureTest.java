package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * only its servers can have, and a few others.
 */
@Tag("full")
class TortureTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration BOUND = Duration.ofSeconds(4); // the machine does more than this

    private static final Duration REST = Duration.ofMillis(60); // others are on the machine too

    /** How many of the faults that any worker can meet each store has; together the stores have all. */
    private static final int OF_WORKERS = 3;

    private static final long SEED = Long.getLong("io.wellkeeper.torture.seed", 22);
    private static final int FAULTS = Integer.getInteger("io.wellkeeper.torture.faults", 0);
    private static final Set<String> STORES =
            Set.of(System.getProperty("io.wellkeeper.torture.stores", "all").split(","));

    static Stream<Arrangement> stores() {
        return Arrays.stream(Arrangement.values())
                .filter(store -> STORES.contains("all") || STORES.contains(store.word()));
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
                    ? chosen
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
            System.out.println(store.word() + "\n" + Summary.of(run, verdict));
        }
    }

    /** All that can befall these servers, and some of what can befall any worker. */
    private static List<FaultKind> few(Arrangement store, Servers servers) {
        List<FaultKind> kinds = new ArrayList<>(servers.faults());
        List<FaultKind> others = servers.allFaults().stream()
                .filter(kind -> kind.victim() != FaultKind.Victim.SERVERS)
                .toList();
        for (int i = 0; i < OF_WORKERS; i++) {
            kinds.add(others.get((store.ordinal() * OF_WORKERS + i) % others.size()));
        }
        return kinds;
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
