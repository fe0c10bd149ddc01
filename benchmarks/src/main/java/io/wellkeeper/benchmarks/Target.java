package io.wellkeeper.benchmarks;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoublePredicate;

/**
 * A figure that we want to reach.
 *
 * @param topologies the topologies on which it counts
 * @param work the work at which it counts
 * @param ours our contestant
 * @param measure the measure
 * @param peer the peer to which the ratio counts; empty if our own figure counts
 * @param goal the goal in words
 * @param reached whether a figure is good enough
 */
record Target(
        Set<Topology> topologies,
        Work work,
        Contestant ours,
        Measure measure,
        Optional<Contestant> peer,
        String goal,
        DoublePredicate reached) {

    private static final Set<Topology> ON_ONE = EnumSet.of(Topology.ONE_SERVER);
    private static final Set<Topology> ON_A_DISTANT_ONE = EnumSet.of(Topology.DISTANT_SERVER);
    private static final Set<Topology> ON_THREE = EnumSet.of(Topology.THREE_SERVERS);
    private static final double FAIR_LOW = 0.8;
    private static final double FAIR_HIGH = 1.25;
    private static final double ROUNDING = 0.05; // figures are printed with one digit

    private static final List<Target> ON_ZOOKEEPER = List.of(
            ratio(Topology.NEAR, Work.FREE, Contestant.DEFAULT, Contestant.MUTEX, 2),
            ratio(Topology.NEAR, Work.FREE, Contestant.STRICT, Contestant.MUTEX, 2),
            ratio(Topology.NEAR, Work.FREE, Contestant.RETAINED, Contestant.MUTEX, 1_000),
            requests(Topology.NEAR, Contestant.DEFAULT, 3),
            requests(Topology.NEAR, Contestant.STRICT, 3),
            ratio(Topology.NEAR, Work.FRESH, Contestant.DEFAULT, Contestant.MUTEX, 4),
            ratio(Topology.NEAR, Work.FRESH, Contestant.STRICT, Contestant.MUTEX, 4),
            ratio(Topology.NEAR, Work.THREADS_16, Contestant.DEFAULT, Contestant.MUTEX, 25),
            ratio(Topology.NEAR, Work.THREADS_64, Contestant.DEFAULT, Contestant.MUTEX, 25),
            ratio(Topology.NEAR, Work.THREADS_16, Contestant.STRICT, Contestant.MUTEX, 1.4),
            ratio(Topology.NEAR, Work.THREADS_64, Contestant.STRICT, Contestant.MUTEX, 1.4),
            ratio(Topology.NEAR, Work.THREADS_16, Contestant.DEFAULT, Contestant.SHARED_MUTEX, 80),
            ratio(Topology.NEAR, Work.THREADS_64, Contestant.DEFAULT, Contestant.SHARED_MUTEX, 80),
            ratio(Topology.NEAR, Work.THREADS_16, Contestant.STRICT, Contestant.SHARED_MUTEX, 4),
            ratio(Topology.NEAR, Work.THREADS_64, Contestant.STRICT, Contestant.SHARED_MUTEX, 4),
            ratio(ON_THREE, Work.PROCESSES_4, Contestant.DEFAULT, Contestant.MUTEX, 15),
            ratio(ON_THREE, Work.PROCESSES_4, Contestant.STRICT, Contestant.MUTEX, 1.5),
            new Target(
                    ON_THREE,
                    Work.PROCESSES_4,
                    Contestant.DEFAULT,
                    Measure.SMALLEST_SHARE,
                    Optional.empty(),
                    "at least " + FAIR_LOW,
                    share -> share >= FAIR_LOW),
            new Target(
                    ON_THREE,
                    Work.PROCESSES_4,
                    Contestant.DEFAULT,
                    Measure.LARGEST_SHARE,
                    Optional.empty(),
                    "at most " + FAIR_HIGH,
                    share -> share <= FAIR_HIGH));

    private static final List<Target> ON_REDIS = List.of(
            ratio(ON_ONE, Work.FREE, Contestant.DEFAULT, Contestant.R_LOCK, 1.7),
            ratio(ON_ONE, Work.FREE, Contestant.STRICT, Contestant.R_LOCK, 1.7),
            ratio(ON_A_DISTANT_ONE, Work.FREE, Contestant.DEFAULT, Contestant.R_LOCK, 2),
            ratio(ON_A_DISTANT_ONE, Work.FREE, Contestant.STRICT, Contestant.R_LOCK, 2),
            ratio(ON_ONE, Work.THREADS_16, Contestant.DEFAULT, Contestant.R_LOCK, 15),
            ratio(ON_ONE, Work.THREADS_64, Contestant.DEFAULT, Contestant.R_LOCK, 15),
            ratio(ON_ONE, Work.THREADS_16, Contestant.STRICT, Contestant.R_LOCK, 2.5),
            ratio(ON_ONE, Work.THREADS_64, Contestant.STRICT, Contestant.R_LOCK, 2.5),
            ratio(ON_ONE, Work.THREADS_16, Contestant.STRICT, Contestant.FAIR_LOCK, 6),
            ratio(ON_ONE, Work.THREADS_64, Contestant.STRICT, Contestant.FAIR_LOCK, 6),
            ratio(ON_ONE, Work.PROCESSES_4, Contestant.DEFAULT, Contestant.R_LOCK, 15),
            ratio(ON_ONE, Work.PROCESSES_4, Contestant.STRICT, Contestant.R_LOCK, 2.5),
            ratio(ON_ONE, Work.PROCESSES_4, Contestant.STRICT, Contestant.FAIR_LOCK, 4),
            ratio(ON_ONE, Work.HAND_OFF, Contestant.DEFAULT, Measure.WAIT_P50, Contestant.R_LOCK, 2),
            ratio(ON_ONE, Work.HAND_OFF, Contestant.STRICT, Measure.WAIT_P50, Contestant.R_LOCK, 2),
            new Target(
                    ON_ONE,
                    Work.HELD,
                    Contestant.DEFAULT,
                    Measure.REQUEST_RATE,
                    Optional.empty(),
                    "at most 1.0",
                    rate -> rate <= 1));

    private static final List<Target> ON_POSTGRES = inTables(1.5, 20);
    private static final List<Target> ON_MARIADB = inTables(1.3, 15);

    private static List<Target> inTables(double free, double handOff) {
        return List.of(
                ratio(ON_ONE, Work.FREE, Contestant.DEFAULT, Measure.CYCLE_P50, Contestant.REGISTRY, free),
                ratio(ON_ONE, Work.FREE, Contestant.STRICT, Measure.CYCLE_P50, Contestant.REGISTRY, free),
                requests(ON_ONE, Contestant.DEFAULT, 2),
                requests(ON_ONE, Contestant.STRICT, 2),
                ratio(ON_ONE, Work.PROCESSES_4, Contestant.DEFAULT, Contestant.REGISTRY, 10),
                ratio(ON_ONE, Work.PROCESSES_4, Contestant.STRICT, Contestant.REGISTRY, 0.9),
                ratio(ON_ONE, Work.PROCESSES_4, Contestant.STRICT, Measure.CYCLE_MAX, Contestant.REGISTRY, 5),
                ratio(ON_ONE, Work.HAND_OFF, Contestant.DEFAULT, Measure.WAIT_P50, Contestant.REGISTRY, handOff),
                ratio(ON_ONE, Work.HAND_OFF, Contestant.STRICT, Measure.WAIT_P50, Contestant.REGISTRY, handOff));
    }

    /** The targets for a store. */
    static List<Target> of(Store store) {
        return switch (store) {
            case ZOOKEEPER -> ON_ZOOKEEPER;
            case REDIS -> ON_REDIS;
            case POSTGRES -> ON_POSTGRES;
            case MARIADB -> ON_MARIADB;
        };
    }

    private static Target ratio(Set<Topology> topologies, Work work, Contestant ours, Contestant peer, double least) {
        return ratio(topologies, work, ours, Measure.THROUGHPUT, peer, least);
    }

    private static Target ratio(
            Set<Topology> topologies, Work work, Contestant ours, Measure measure, Contestant peer, double least) {
        return new Target(
                topologies,
                work,
                ours,
                measure,
                Optional.of(peer),
                String.format(Locale.ROOT, "at least %.1f x %s", least, peer.title()),
                ratio -> ratio >= least);
    }

    private static Target requests(Set<Topology> topologies, Contestant ours, double most) {
        return new Target(
                topologies,
                Work.FREE,
                ours,
                Measure.REQUESTS,
                Optional.empty(),
                String.format(Locale.ROOT, "%.1f", most),
                requests -> requests < most + ROUNDING);
    }

    /** The figure for this target among some results; empty if it was not measured, or is no number. */
    Optional<Double> figure(Measured measured) {
        if (measured.work() != work || !topologies.contains(measured.topology())) {
            return Optional.empty();
        }
        return peer.isEmpty() ? measured.figure(ours, measure) : measured.ratio(measure, ours, peer.get());
    }
}
