package io.wellkeeper.benchmarks;

/**
 * How long everything takes.
 *
 * @param rounds of which the median is reported
 * @param warmMillis before each measured window
 * @param windowMillis of each measured window
 * @param coldMillis of the discarded slot with which each contestant begins each work
 * @param jmhForks processes for each JMH figure
 * @param jmhIterations in each of them
 * @param jmhMillis of each iteration
 */
record Pace(
        int rounds, int warmMillis, int windowMillis, int coldMillis, int jmhForks, int jmhIterations, int jmhMillis) {

    static final Pace FULL = new Pace(5, 300, 1_000, 700, 2, 3, 700);

    static final Pace QUICK = new Pace(1, 100, 250, 100, 1, 2, 300);
}
