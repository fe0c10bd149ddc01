package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.testservers.ProcessClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each planted bug is found, in a short run with real processes on a real server and a fault. To start the processes costs most,
 * so the bugs that need the same fault are planted into the locks of one run, each into one that has no other, and each must be
 * found at its own lock. What a busy machine could have done excuses the locks, so a run on one may not find all: then there is
 * another one for those that are left.
 */
class PlantedBugsTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration BOUND = Duration.ofSeconds(2);
    private static final Duration REST = Duration.ofMillis(60);
    private static final Duration PAUSE = Duration.ofMillis(2_800);
    private static final Duration SHORT_PAUSE = Duration.ofMillis(300);
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final Duration LONG_QUIET = Duration.ofSeconds(4); // with nothing that excuses a slow lock
    private static final int RUNS = 3;
    private static final int WORKERS = 2;
    private static final int THREADS = 8;

    /**
     * Bugs that are planted in one run, and by which rule each is found.
     *
     * @param fault befalls a holder of each lock, or of any one lock
     * @param length of the fault
     * @param quiet how long nothing happens afterwards
     * @param everywhere whether each lock has a fault of its own
     * @param rules by bug
     * @param own another fault that a bug needs, by bug: it befalls a holder of its lock besides
     */
    private record Group(
            FaultKind fault,
            Duration length,
            Duration quiet,
            boolean everywhere,
            Map<PlantedBug, String> rules,
            Map<PlantedBug, FaultKind> own) {

        static Group eachHit(FaultKind fault) {
            return new Group(
                    fault, PAUSE, QUIET, true, new EnumMap<>(PlantedBug.class), new EnumMap<>(PlantedBug.class));
        }

        static Group oneHit(FaultKind fault) {
            return new Group(
                    fault,
                    SHORT_PAUSE,
                    LONG_QUIET,
                    false,
                    new EnumMap<>(PlantedBug.class),
                    new EnumMap<>(PlantedBug.class));
        }

        Group with(PlantedBug bug, String rule) {
            rules.put(bug, rule);
            return this;
        }

        /** The same, where the bug needs a clock that can be set. */
        Group with(PlantedBug bug, String rule, FaultKind clock) {
            if (ProcessClock.isPossible()) {
                own.put(bug, clock);
                return with(bug, rule);
            }
            return this;
        }

        @Override
        public String toString() {
            return fault + " " + rules.keySet();
        }
    }

    static List<Group> groups() {
        return List.of(
                Group.eachHit(FaultKind.PAUSE)
                        .with(PlantedBug.BLIND_HOLDER, "blind-after-pause")
                        .with(PlantedBug.SILENT_RELEASE, "overlap")
                        .with(PlantedBug.RELEASE_BY_NAME, "unprovoked-loss"),
                Group.eachHit(FaultKind.SILENCE)
                        .with(PlantedBug.ASKS_THE_STORE, "slow-answer")
                        .with(PlantedBug.LATE_CLOCK, "overlap")
                        .with(PlantedBug.LATE_NEWS, "told-late"),
                Group.eachHit(FaultKind.DISK_FULL).with(PlantedBug.FAIL_OPEN, "overlap"),
                Group.oneHit(FaultKind.KILL).with(PlantedBug.LONG_SESSION, "idle-lock"),
                Group.oneHit(FaultKind.SHORT_PAUSE)
                        .with(PlantedBug.TOKEN_OF_THE_PROCESS, "token-order")
                        .with(PlantedBug.TOKEN_OF_THE_SECOND, "token-reuse")
                        .with(PlantedBug.REMEMBERED_TOKEN, "token-reuse")
                        .with(PlantedBug.SHORT_TOKEN, "token-order")
                        .with(PlantedBug.CHECK_THEN_ACT, "overlap")
                        .with(PlantedBug.WRONG_NAME, "overlap")
                        .with(PlantedBug.UNLOCK_TWICE, "unprovoked-loss"),
                Group.oneHit(FaultKind.SHORT_PAUSE)
                        .with(PlantedBug.SHARED_WRITER, "overlap")
                        .with(PlantedBug.BLIND_READER, "overlap")
                        .with(PlantedBug.FEWER_PERMITS, "overlap")
                        .with(PlantedBug.OTHER_SIZE, "overlap")
                        .with(PlantedBug.FALSE_ALARM, "unprovoked-loss")
                        .with(PlantedBug.TIME_OF_DAY, "unprovoked-loss", FaultKind.CLIENT_CLOCK_FORWARD)
                        .with(PlantedBug.FAILURE, "unprovoked-failure")
                        .with(PlantedBug.LEAKED_THREAD, "left-behind"),
                Group.oneHit(FaultKind.SHORT_PAUSE)
                        .with(PlantedBug.SLOW_RELEASE, "idle-lock")
                        .with(PlantedBug.LOST_WAKE_UP, "idle-lock")
                        .with(PlantedBug.LATE_DEADLINE, "late-return")
                        .with(PlantedBug.EARLY_DEADLINE, "early-return")
                        .with(PlantedBug.DEAF_TO_INTERRUPTS, "late-return")
                        .with(PlantedBug.LATE_PLACE, "overtaken"));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("groups")
    void run_plantedBugs_areFound(Group group, @TempDir Path directory) throws IOException, InterruptedException {
        Map<PlantedBug, String> left = new EnumMap<>(group.rules());
        for (int number = 1; number <= RUNS && !left.isEmpty(); number++) {
            Path own = Files.createDirectory(directory.resolve("run-" + number));
            torture(group, List.copyOf(left.keySet()), number, own);
            Run run = Run.read(own);
            Checker.Verdict verdict = Checker.check(run);
            left.entrySet().removeIf(bug -> isFound(bug.getKey(), bug.getValue(), verdict));
            System.out.println(group + ", run " + number + ": " + (left.isEmpty() ? "all found" : left + " not found"));
            if (!left.isEmpty()) {
                System.out.print(Summary.of(run, verdict));
            }
        }
        assertThat(left).isEmpty();
    }

    private static boolean isFound(PlantedBug bug, String rule, Checker.Verdict verdict) {
        String where = bug == PlantedBug.LEAKED_THREAD ? "threads" : name(bug);
        return verdict.violations().stream()
                .anyMatch(violation ->
                        violation.rule().equals(rule) && violation.lock().equals(where));
    }

    private static void torture(Group group, List<PlantedBug> bugs, long seed, Path directory)
            throws InterruptedException {
        List<Lock> locks = bugs.stream().map(bug -> lock(bug).with(bug)).toList();
        List<Plan.Fault> faults = new ArrayList<>();
        for (Lock lock : group.everywhere() ? locks : locks.subList(0, 1)) {
            Optional<String> aim = group.everywhere() ? Optional.of(lock.name()) : Optional.empty();
            faults.add(new Plan.Fault(group.fault(), group.length(), group.quiet(), aim));
        }
        group.own().forEach((bug, fault) -> {
            if (bugs.contains(bug)) {
                faults.add(new Plan.Fault(fault, group.length(), QUIET, Optional.of(name(bug))));
            }
        });
        Plan plan = Plan.of(seed, SESSION, 0)
                .with(faults)
                .with(WORKERS, THREADS, locks, Plan.WELLKEEPER)
                .within(BOUND)
                .resting(REST);
        try (Servers servers = Arrangement.REDIS.start(SESSION)) {
            Torture.run(plan, directory, servers);
        }
    }

    private static String name(PlantedBug bug) {
        return "torture/" + bug.word();
    }

    private static Lock lock(PlantedBug bug) {
        return switch (bug) {
            case SHARED_WRITER, BLIND_READER -> Lock.readWrite(name(bug));
            case FEWER_PERMITS, OTHER_SIZE -> Lock.semaphore(name(bug), 3);
            case CHECK_THEN_ACT, WRONG_NAME, UNLOCK_TWICE, REMEMBERED_TOKEN -> Lock.mutex(name(bug), false);
            default -> Lock.mutex(name(bug), true);
        };
    }

    @Test
    void groups_together_haveEveryBug() {
        Stream<PlantedBug> tried = groups().stream().flatMap(group -> group.rules().keySet().stream());
        Set<PlantedBug> all = EnumSet.complementOf(EnumSet.of(PlantedBug.NONE));
        if (!ProcessClock.isPossible()) {
            all.remove(PlantedBug.TIME_OF_DAY);
        }
        assertThat(tried).containsExactlyInAnyOrderElementsOf(all).hasSizeGreaterThanOrEqualTo(20);
    }
}
