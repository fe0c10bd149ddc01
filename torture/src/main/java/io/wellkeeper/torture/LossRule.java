package io.wellkeeper.torture;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A holder that loses the lock is told before the next one is let in ({@code told-late}), unless it does not run; it is not
 * told that all is well when it releases what it knows to be lost ({@code silent-release}); and nobody loses a lock whom
 * no trouble has met ({@code unprovoked-loss}).
 */
final class LossRule implements Rule {

    /** How much later the thread may run that is told: the machine is busy. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongConsumer leads;

    /**
     * @param leads told for each loss, but where the store forgets, how much earlier the holder knew than the next one came, in
     *     nanoseconds
     */
    LossRule(LongConsumer leads) {
        this.leads = leads;
    }

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        for (Run.LockUse lock : run.locks()) {
            told(lock, trouble, found);
            for (Section section : lock.sections) {
                if (section.releasedInTime && section.lost < section.release) {
                    found.accept(new Violation(
                            "silent-release",
                            section.release,
                            lock.name,
                            section + " was told of its loss, and then its release said that all was well"));
                }
                long told = section.told();
                if (told != Section.NEVER
                        && !trouble.losses(section.process).touch(section.granted, told)
                        && !trouble.mayLose(section.process, told)) {
                    found.accept(new Violation(
                            "unprovoked-loss",
                            told,
                            lock.name,
                            section + " lost it though nothing had happened to it"));
                }
            }
        }
    }

    /** Whoever takes all permits is excluded by anybody who comes later, and everybody by him. */
    private void told(Run.LockUse lock, Trouble trouble, Consumer<Violation> found) {
        List<List<Section>> groups = lock.byToken();
        long any = Section.NEVER; // when the first one with a larger token was let in
        long exclusive = Section.NEVER; // likewise of those who take all permits
        for (int i = groups.size() - 1; i >= 0; i--) {
            List<Section> same = groups.get(i);
            for (Section section : same) {
                told(lock, section, lock.isExclusive(section) ? any : exclusive, trouble, found);
            }
            for (Section section : same) {
                any = Math.min(any, section.granted);
                exclusive = lock.isExclusive(section) ? Math.min(exclusive, section.granted) : exclusive;
            }
        }
    }

    private void told(Run.LockUse lock, Section section, long next, Trouble trouble, Consumer<Violation> found) {
        long told = section.told();
        boolean ran = told != Section.NEVER && !trouble.stops(section.process).touch(section.granted, told);
        if (next == Section.NEVER || !ran || trouble.forgetful().touch(next, next)) {
            return;
        }
        leads.accept(next - told);
        long late = told - next - trouble.delay(section.process, next, told);
        if (late > TOLERANCE) {
            found.accept(new Violation(
                    "told-late",
                    told,
                    lock.name,
                    section + " was told of its loss " + TimeUnit.NANOSECONDS.toMillis(told - next)
                            + " ms after the next one was let in"));
        }
    }
}
