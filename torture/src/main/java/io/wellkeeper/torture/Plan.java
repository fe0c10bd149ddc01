package io.wellkeeper.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The plan of a run. The same seed gives the same plan, but what the processes do depends on the machine too.
 *
 * @param seed of all choices
 * @param sessionTimeout of the workers
 * @param bound how soon a free lock must go to a waiter
 * @param workers the number of processes
 * @param threads the number of threads in each process
 * @param rest the longest pause of a thread between two acquisitions
 * @param locks the locks that they use
 * @param faults the faults, one after the other
 * @param driver the library of the locks: {@link #WELLKEEPER}, or a name that a {@link Locks.Opener} knows
 */
record Plan(
        long seed,
        Duration sessionTimeout,
        Duration bound,
        int workers,
        int threads,
        Duration rest,
        List<Lock> locks,
        List<Fault> faults,
        String driver) {

    /** Adds the locks that some of the faults need. */
    Plan {
        boolean isOfLetters = faults.stream().anyMatch(fault -> fault.kind() == FaultKind.OTHER_DRIVER);
        if (isOfLetters && locks.stream().noneMatch(Lock::hasLetters)) {
            locks = Stream.concat(locks.stream(), Stream.of(Lock.mutex("torture/" + seed + Lock.LETTERS, true)))
                    .toList();
        }
        boolean isEnding = faults.stream().anyMatch(fault -> fault.kind() == FaultKind.LAST_NUMBER);
        if (isEnding && locks.stream().noneMatch(Lock::isEnding)) {
            locks = Stream.concat(locks.stream(), Stream.of(Lock.mutex("torture/" + seed + Lock.ENDING, true)))
                    .toList();
        }
    }

    /** The driver for Wellkeeper's own locks. */
    static final String WELLKEEPER = "wellkeeper";

    private static final Duration BOUND = Duration.ofSeconds(2);
    private static final Duration REST = Duration.ofMillis(20);

    /**
     * A fault that is made as soon as a worker is inside a lock.
     *
     * @param kind the kind of fault
     * @param length how long it lasts
     * @param quiet for how long there is no other fault afterwards
     * @param lock the name of the lock; empty for any lock
     */
    record Fault(FaultKind kind, Duration length, Duration quiet, Optional<String> lock) {

        /** Whether the fault may be made when a worker is inside this lock. */
        boolean isAimedAt(String name) {
            return lock.isEmpty() || lock.get().equals(name);
        }
    }

    /** A random plan with so many faults of the workers and of their ways to the servers. */
    static Plan of(long seed, Duration sessionTimeout, int faults) {
        List<FaultKind> kinds = Arrays.stream(FaultKind.values())
                .filter(kind -> kind.victim() != FaultKind.Victim.SERVERS)
                .toList();
        return of(seed, sessionTimeout, kinds, faults);
    }

    /** A random plan with so many faults of these kinds, each kind equally often. */
    static Plan of(long seed, Duration sessionTimeout, Collection<FaultKind> kinds, int faults) {
        Random random = new Random(seed);
        List<FaultKind> choice = List.copyOf(kinds);
        List<Fault> chosen = new ArrayList<>();
        int first = random.nextInt(choice.size());
        for (int i = 0; i < faults; i++) {
            FaultKind kind = choice.get((first + i) % choice.size());
            double sessions = kind.shortest() + random.nextDouble() * (kind.longest() - kind.shortest());
            Duration length = times(sessionTimeout, sessions);
            Duration quiet = times(sessionTimeout, random.nextDouble());
            chosen.add(new Fault(kind, length, quiet, Optional.empty()));
        }
        return new Plan(seed, sessionTimeout, BOUND, 3, 4, REST, locks(seed, 4), chosen, WELLKEEPER);
    }

    /** So many locks, of the primitives in turn. */
    static List<Lock> locks(long seed, int count) {
        List<Lock> locks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "torture/" + seed + "/" + (i < 4 ? "" : i / 4 + "/");
            locks.add(
                    switch (i % 4) {
                        case 0 -> Lock.mutex(name + "strict", true);
                        case 1 -> Lock.mutex(name + "family", false);
                        case 2 -> Lock.readWrite(name + "book");
                        default -> Lock.semaphore(name + "pool", 3);
                    });
        }
        return List.copyOf(locks);
    }

    /** The name of a latch. */
    static String latch(long seed, long number) {
        return "torture/" + seed + "/latch-" + number;
    }

    /** The same plan with other workers, threads, locks and another driver. */
    Plan with(int otherWorkers, int otherThreads, List<Lock> otherLocks, String otherDriver) {
        return new Plan(seed, sessionTimeout, bound, otherWorkers, otherThreads, rest, otherLocks, faults, otherDriver);
    }

    /** The same plan with other faults. */
    Plan with(List<Fault> others) {
        return new Plan(seed, sessionTimeout, bound, workers, threads, rest, locks, others, driver);
    }

    /** The same plan with another bound. */
    Plan within(Duration time) {
        return new Plan(seed, sessionTimeout, time, workers, threads, rest, locks, faults, driver);
    }

    /** The same plan with another longest pause between acquisitions. */
    Plan resting(Duration longest) {
        return new Plan(seed, sessionTimeout, bound, workers, threads, longest, locks, faults, driver);
    }

    /** The same plan with simple locks. */
    Plan simple() {
        return with(workers, threads, locks.stream().map(Lock::simple).toList(), driver);
    }

    private static Duration times(Duration time, double factor) {
        return Duration.ofNanos((long) (time.toNanos() * factor));
    }
}
