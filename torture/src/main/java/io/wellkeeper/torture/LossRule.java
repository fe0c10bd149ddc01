package io.wellkeeper.torture;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A holder that loses the lock is told before the next one is let in ({@code told-late}), unless it does not run; it is not
 * told that all is well when it releases what it knows to be lost ({@code silent-release}); and nobody loses a lock whom
 * no trouble has met ({@code unprovoked-loss}). When the servers are back with what they had earlier, a holder of whom they
 * know nothing hears of it by its next heartbeat, which goes out a quarter of a session after the last one ({@code late-news}).
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
        List<Run.FaultSpan> returns = returns(run);
        for (Run.LockUse lock : run.locks()) {
            told(lock, trouble, found);
            for (Section section : lock.sections) {
                news(run, lock, section, returns, trouble, found);
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

    /** When the servers came back with what they had earlier, and nothing else was the matter that may cost a session. */
    private static List<Run.FaultSpan> returns(Run run) {
        long session = run.setting(Run.SESSION_TIMEOUT);
        List<Run.FaultSpan> others = run.faults().stream()
                .filter(fault -> !FaultKind.bringsBack(fault.kind))
                .toList();
        return run.faults().stream()
                .filter(fault -> FaultKind.bringsBack(fault.kind) && fault.struck != Section.NEVER)
                .filter(fault -> others.stream()
                        .noneMatch(
                                other -> other.begin < fault.struck + session && other.healed > fault.begin - session))
                .toList();
    }

    private static void news(
            Run run,
            Run.LockUse lock,
            Section section,
            List<Run.FaultSpan> returns,
            Trouble trouble,
            Consumer<Violation> found) {
        long told = section.told();
        long session = run.setting(Run.SESSION_TIMEOUT);
        for (Run.FaultSpan back : returns) {
            if (section.request >= back.begin || told < back.struck || told >= back.struck + session) {
                continue;
            }
            long since = Math.max(back.struck, section.granted);
            long late = told - since - trouble.delay(section.process, since, told);
            if (late > session * 5 / 16 + TOLERANCE) { // of which a sixteenth is for making the connection anew
                found.accept(new Violation(
                        "late-news",
                        told,
                        lock.name,
                        section + " was told of its loss " + TimeUnit.NANOSECONDS.toMillis(told - since)
                                + " ms after the servers were back without it"));
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
