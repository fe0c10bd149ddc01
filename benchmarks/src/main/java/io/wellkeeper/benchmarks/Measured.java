package io.wellkeeper.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of one work on one topology.
 *
 * @param topology the servers
 * @param work what was done
 * @param rounds the results of each round, by contestant; all contestants have the same number of rounds
 */
record Measured(Topology topology, Work work, Map<Contestant, List<Map<Measure, Double>>> rounds) {

    /** The results of a single round. */
    static Measured once(Topology topology, Work work, Map<Contestant, Map<Measure, Double>> figures) {
        Map<Contestant, List<Map<Measure, Double>>> rounds = new EnumMap<>(Contestant.class);
        figures.forEach((contestant, figure) -> rounds.put(contestant, List.of(figure)));
        return new Measured(topology, work, rounds);
    }

    /** The median of the rounds; empty if it was not measured. */
    Optional<Double> figure(Contestant contestant, Measure measure) {
        return Outcome.median(of(contestant).stream()
                .filter(round -> round.containsKey(measure))
                .mapToDouble(round -> round.get(measure)));
    }

    /**
     * The median of the ratios of the rounds. A cause that slows a round down, such as the disk, slows both figures
     * down, so it does not change their ratio. Above 1 if ours is better; empty if it was not measured, or a figure is
     * 0.
     */
    Optional<Double> ratio(Measure measure, Contestant ours, Contestant peer) {
        List<Map<Measure, Double>> mine = of(ours);
        List<Map<Measure, Double>> theirs = of(peer);
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < Math.min(mine.size(), theirs.size()); round++) {
            Double ratio = measure.ratio(
                    mine.get(round).getOrDefault(measure, 0.0),
                    theirs.get(round).getOrDefault(measure, 0.0));
            if (ratio == null) {
                return Optional.empty();
            }
            ratios.add(ratio);
        }
        return Outcome.median(ratios.stream().mapToDouble(Double::doubleValue));
    }

    private List<Map<Measure, Double>> of(Contestant contestant) {
        return rounds.getOrDefault(contestant, List.of());
    }

    /** The contestants that took part, in the order of the work. */
    List<Contestant> contestants() {
        return work.contestants().stream().filter(rounds::containsKey).toList();
    }

    /** The measures that all contestants have. */
    List<Measure> measures() {
        return rounds.values().stream()
                .flatMap(List::stream)
                .flatMap(each -> each.keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }
}
