package io.wellkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of ours beside one peer; a record of {@code results.json}.
 *
 * @param store where the locks are kept
 * @param topology how many servers
 * @param work what was done
 * @param order of ours: default, strict, retained or lock table
 * @param measure what was measured
 * @param unit of both figures
 * @param ours our figure
 * @param peer who they are
 * @param theirs their figure
 * @param ratio above 1 if ours is better; null if a figure is 0
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

    /** Every one of ours beside every peer, for each measure. */
    static List<Comparison> of(Store store, Measured measured) {
        List<Comparison> result = new ArrayList<>();
        measured.figures()
                .forEach((ours, figures) -> measured.figures().forEach((peer, theirs) -> {
                    if (ours.isOurs() && !peer.isOurs()) {
                        figures.forEach((measure, figure) ->
                                result.add(of(store, measured, ours, measure, figure, peer, theirs)));
                    }
                }));
        return result;
    }

    private static Comparison of(
            Store store,
            Measured measured,
            Contestant ours,
            Measure measure,
            double figure,
            Contestant peer,
            Map<Measure, Double> theirs) {
        double theirFigure = theirs.getOrDefault(measure, 0.0);
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
                theirFigure,
                measure.ratio(figure, theirFigure));
    }
}
