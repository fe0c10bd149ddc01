package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Slot.Role;
import java.util.List;

/**
 * How long everything takes.
 *
 * @param all whether all contestants take part, or only those that targets are about
 * @param rounds of which the median is reported
 * @param warmMillis before each measured window
 * @param windowMillis of each measured window
 * @param coldMillis of the windows of the discarded slots with which each contestant begins each work
 * @param cooperatingMillis of the last of those if several processes cycle, each of which gets only a part of the cycles
 * @param jmhForks processes for each JMH figure
 * @param jmhIterations in each of them
 * @param jmhMillis of each iteration
 */
record Pace(
        boolean all,
        int rounds,
        int warmMillis,
        int windowMillis,
        int coldMillis,
        int cooperatingMillis,
        int jmhForks,
        int jmhIterations,
        int jmhMillis) {

    static final int HOLD_MILLIS = 30_000; // several heartbeats

    static final int POLLED_WINDOWS = 4;

    static final Pace FULL = new Pace(true, 5, 300, 900, 500, 12_000, 2, 3, 700);

    static final Pace QUICK = new Pace(false, 1, 100, 250, 100, 1_000, 1, 2, 300);

    /** Those who take part in a work there, in their order. */
    List<Contestant> contestants(Store store, Work work) {
        return work.contestants(store).stream()
                .filter(each -> all
                        || (each != Contestant.SEMAPHORE_MUTEX && each.variant().isEmpty()))
                .toList();
    }

    /** Rounds of this work; one says all about what is only held. */
    int rounds(Work work) {
        return work.isHolding() ? 1 : rounds;
    }

    /** Before the measured window of this work. */
    int warmMillis(Work work) {
        return work.isHolding() ? 0 : warmMillis;
    }

    /** The window of the slot of this work that is discarded. */
    int coldMillis(Work work) {
        boolean cooperate = work.roles().stream().filter(Role.CYCLE::equals).count() > 1;
        return cooperate ? cooperatingMillis : coldMillis;
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
