package io.wellkeeper.benchmarks;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How long the parts of a run take.
 *
 * @param all whether all contestants take part, or only those that have targets
 * @param rounds the number of rounds, of which the median is reported
 * @param closeRounds the same for works whose figures are close to their targets, so that the noise of few rounds would
 *     decide
 * @param warmMillis the time before each measured window
 * @param windowMillis the length of each measured window
 * @param warmUpMillis the longest warm-up of each side before everything else, unless one turn of slots takes longer
 * @param warmUpSlotMillis the window of each slot of the warm-up
 * @param coldMillis the window of each discarded slot, with which each contestant begins each work
 * @param jmhForks the number of processes for each JMH figure
 * @param jmhIterations the number of iterations in each of them
 * @param jmhMillis the length of each iteration
 */
record Pace(
        boolean all,
        int rounds,
        int closeRounds,
        int warmMillis,
        int windowMillis,
        int warmUpMillis,
        int warmUpSlotMillis,
        int coldMillis,
        int jmhForks,
        int jmhIterations,
        int jmhMillis) {

    static final Set<Work> CLOSE = EnumSet.of(Work.FREE, Work.FRESH, Work.PROCESSES_4);

    static final int HOLD_MILLIS = 30_000; // several heartbeats

    static final int POLLED_WINDOWS = 6;

    static final Pace FULL = new Pace(true, 5, 9, 200, 500, 120_000, 3_000, 500, 2, 3, 500);

    static final Pace QUICK = new Pace(false, 1, 1, 100, 250, 2_000, 130, 100, 1, 2, 300);

    /** The contestants of a work on a store, in their order. */
    List<Contestant> contestants(Store store, Work work) {
        return work.contestants(store).stream()
                .filter(each -> all
                        || (each != Contestant.SEMAPHORE_MUTEX && each.variant().isEmpty()))
                .toList();
    }

    /** The number of rounds of a work; one is enough for locks that are only held. */
    int rounds(Work work) {
        if (work.isHolding()) {
            return 1;
        }
        return CLOSE.contains(work) ? closeRounds : rounds;
    }

    /** The time before the measured window of a work. */
    int warmMillis(Work work) {
        return work.isHolding() ? 0 : warmMillis;
    }

    /** The measured window of a work: longer if processes wait for each other and a peer only polls. */
    int windowMillis(Store store, Work work) {
        if (work.isHolding()) {
            return HOLD_MILLIS;
        }
        boolean isLookedFor = work.roles().size() > 1 && !store.pollInterval().isZero();
        return isLookedFor ? POLLED_WINDOWS * windowMillis : windowMillis;
    }
}
