package io.wellkeeper.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came out of one work on one topology: medians.
 *
 * @param topology the servers
 * @param work what was done
 * @param figures by contestant and measure
 */
record Measured(Topology topology, Work work, Map<Contestant, Map<Measure, Double>> figures) {

    /** One figure; empty if it was not measured. */
    Optional<Double> figure(Contestant contestant, Measure measure) {
        return Optional.ofNullable(figures.getOrDefault(contestant, Map.of()).get(measure));
    }

    /** Who took part, in the order of the work. */
    List<Contestant> contestants() {
        return work.contestants().stream().filter(figures::containsKey).toList();
    }

    /** What was measured of all contestants. */
    List<Measure> measures() {
        return figures.values().stream()
                .flatMap(each -> each.keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }
}
