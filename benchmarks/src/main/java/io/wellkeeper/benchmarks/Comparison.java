package io.wellkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of our contestants beside one peer; a record of {@code results.json}.
 *
 * @param store where the locks are kept
 * @param topology how many servers there are
 * @param work what was done
 * @param order the order of our contestant: default, strict, retained or lock table
 * @param measure what was measured
 * @param unit of both figures
 * @param ours our figure
 * @param peer the name of the peer
 * @param theirs the figure of the peer
 * @param ratio the median of the ratios of the rounds, above 1 if ours is better; null if a figure of a round is 0
 */
record Comparison(
        String store,
        String topology,
        String work,
        String order,
        String measure,
        String unit,
        double ours,
        String peer,
        double theirs,
        @Nullable Double ratio) {

    /** Each of our contestants beside each peer, for each measure. */
    static List<Comparison> of(Store store, Measured measured) {
        List<Comparison> result = new ArrayList<>();
        for (Contestant ours : measured.contestants()) {
            for (Contestant peer : measured.contestants()) {
                if (ours.isOurs() && !peer.isOurs()) {
                    for (Measure measure : measured.measures()) {
                        measured.figure(ours, measure)
                                .ifPresent(figure -> result.add(of(store, measured, ours, measure, figure, peer)));
                    }
                }
            }
        }
        return result;
    }

    private static Comparison of(
            Store store, Measured measured, Contestant ours, Measure measure, double figure, Contestant peer) {
        String variant = ours.variant();
        return new Comparison(
                store.id(),
                measured.topology().title(),
                variant.isEmpty() ? measured.work().title() : measured.work().title() + ", " + variant,
                ours.order(),
                measure.title(),
                measure.unit(),
                figure,
                peer.title(),
                measured.figure(peer, measure).orElse(0.0),
                measured.ratio(measure, ours, peer).orElse(null));
    }
}
