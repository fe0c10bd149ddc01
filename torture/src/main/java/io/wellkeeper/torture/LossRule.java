package io.wellkeeper.torture;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A holder that loses the lock is told before the next holder is let in ({@code told-late}), unless its process does
 * not run. When a holder releases a lock that it knows to be lost, the release does not say that all is well ({@code
 * silent-release}). A holder without trouble does not lose its lock ({@code unprovoked-loss}). When the servers are
 * back with older data, a holder that they do not know learns that by its next heartbeat, which is sent a quarter of a
 * session after the last one ({@code late-news}).
 */
final class LossRule implements Rule {

    /** How much later the thread that is told may run: the machine may be busy. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongConsumer leads;

    /**
     * @param leads receives for each loss, except when the store has forgotten, how many nanoseconds before the next
     *     holder was let in the old one knew of it
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

    /** The faults after which the servers came back with older data, without another fault at that time. */
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
            if (late > session * 5 / 16 + TOLERANCE) { // a sixteenth is for connecting again
                found.accept(new Violation(
                        "late-news",
                        told,
                        lock.name,
                        section + " was told of its loss " + TimeUnit.NANOSECONDS.toMillis(told - since)
                                + " ms after the servers were back without it"));
            }
        }
    }

    /**
     * A holder of all permits must know of its loss before any later holder comes, and each holder before one of all
     * permits.
     */
    private void told(Run.LockUse lock, Trouble trouble, Consumer<Violation> found) {
        List<List<Section>> groups = lock.byToken();
        long any = Section.NEVER; // when the first one with a larger token was let in
        long exclusive = Section.NEVER; // the same for those that take all permits
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
