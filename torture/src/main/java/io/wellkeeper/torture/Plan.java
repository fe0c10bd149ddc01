package io.wellkeeper.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What a run shall be; the same seed gives the same plan. What the processes make of it depends on the machine.
 *
 * @param seed of all choices
 * @param sessionTimeout of the workers
 * @param workers how many processes
 * @param threads how many in each
 * @param locks what they use
 * @param faults one after another
 * @param bug what is planted into the locks
 */
record Plan(
        long seed,
        Duration sessionTimeout,
        int workers,
        int threads,
        List<Lock> locks,
        List<Fault> faults,
        PlantedBug bug) {

    /**
     * A fault that befalls whoever is inside a lock next.
     *
     * @param kind what
     * @param length how long it lasts
     * @param quiet how long nothing happens afterwards
     */
    record Fault(FaultKind kind, Duration length, Duration quiet) {}

    /** A plan by chance with so many faults. */
    static Plan of(long seed, Duration sessionTimeout, int faults, PlantedBug bug) {
        Random random = new Random(seed);
        List<Fault> chosen = new ArrayList<>();
        FaultKind[] kinds = FaultKind.values();
        int first = random.nextInt(kinds.length);
        for (int i = 0; i < faults; i++) {
            FaultKind kind = kinds[(first + i) % kinds.length]; // each as often as the others
            double sessions = kind.shortest() + random.nextDouble() * (kind.longest() - kind.shortest());
            chosen.add(new Fault(kind, times(sessionTimeout, sessions), times(sessionTimeout, random.nextDouble())));
        }
        List<Lock> locks = List.of(
                Lock.mutex("torture/" + seed + "/strict", true),
                Lock.mutex("torture/" + seed + "/family", false),
                Lock.readWrite("torture/" + seed + "/book"),
                Lock.semaphore("torture/" + seed + "/pool", 3));
        return new Plan(seed, sessionTimeout, 3, 4, locks, chosen, bug);
    }

    /** The same with other faults. */
    Plan with(List<Fault> others) {
        return new Plan(seed, sessionTimeout, workers, threads, locks, others, bug);
    }

    private static Duration times(Duration time, double factor) {
        return Duration.ofNanos((long) (time.toNanos() * factor));
    }
}
