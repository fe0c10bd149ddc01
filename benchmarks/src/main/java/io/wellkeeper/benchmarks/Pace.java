package io.wellkeeper.benchmarks;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How long everything takes.
 *
 * @param all whether all contestants take part, or only those that targets are about
 * @param rounds of which the median is reported
 * @param closeRounds the same for works with targets that are near to what is measured, where the noise of few would decide
 * @param warmMillis before each measured window
 * @param windowMillis of each measured window
 * @param warmUpMillis of each side before everything else, at most, unless one turn of slots takes longer
 * @param warmUpSlotMillis of the windows of the slots in it
 * @param coldMillis of the windows of the discarded slots with which each contestant begins each work
 * @param jmhForks processes for each JMH figure
 * @param jmhIterations in each of them
 * @param jmhMillis of each iteration
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

    /** Those who take part in a work there, in their order. */
    List<Contestant> contestants(Store store, Work work) {
        return work.contestants(store).stream()
                .filter(each -> all
                        || (each != Contestant.SEMAPHORE_MUTEX && each.variant().isEmpty()))
                .toList();
    }

    /** Rounds of this work; one says all about what is only held. */
    int rounds(Work work) {
        if (work.isHolding()) {
            return 1;
        }
        return CLOSE.contains(work) ? closeRounds : rounds;
    }

    /** Before the measured window of this work. */
    int warmMillis(Work work) {
        return work.isHolding() ? 0 : warmMillis;
    }

    /** The measured window of this work: longer where processes wait for each other, and look only now and then. */
    int windowMillis(Store store, Work work) {
        if (work.isHolding()) {
            return HOLD_MILLIS;
        }
        boolean isLookedFor = work.roles().size() > 1 && !store.pollInterval().isZero();
        return isLookedFor ? POLLED_WINDOWS * windowMillis : windowMillis;
    }
}
