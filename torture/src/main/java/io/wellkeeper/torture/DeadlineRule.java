package io.wellkeeper.torture;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A wait ends soon after its time is over or its thread is interrupted, whatever the network and the servers do
 * ({@code late-return}), and not before ({@code early-return}). At the end of the run no thread still waits for a lock
 * or holds one ({@code stuck}).
 */
final class DeadlineRule implements Rule {

    /** How much later a wait may end: the machine may be busy. */
    private static final long TOLERANCE = TimeUnit.SECONDS.toNanos(1);

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        for (Run.LockUse lock : run.locks()) {
            for (Section section : lock.sections) {
                check(run, trouble, lock, section, found);
            }
        }
    }

    private static void check(Run run, Trouble trouble, Run.LockUse lock, Section section, Consumer<Violation> found) {
        long end = section.waitedUntil();
        if (end == Section.NEVER || (section.isGranted() && section.released == Section.NEVER)) {
            if (!run.wasKilled(section.process)) {
                found.accept(new Violation(
                        "stuck",
                        run.end(),
                        lock.name,
                        section + (section.isGranted() ? " never left" : " waits for ever")));
            }
            return;
        }
        long deadline = section.timeout < 0 ? section.interrupt : section.request + section.timeout;
        long due = Math.min(deadline, section.interrupt);
        if (due != Section.NEVER
                && end - 2 * trouble.delay(section.process, due, end) > due + TOLERANCE
                && !trouble.stops(section.process).touch(section.request, end)) {
            found.accept(new Violation(
                    "late-return",
                    end,
                    lock.name,
                    section + " came back " + TimeUnit.NANOSECONDS.toMillis(end - due) + " ms after its time"));
        }
        if (section.gaveUp && end < deadline) {
            found.accept(new Violation("early-return", end, lock.name, section + " gave up before its time was over"));
        }
    }
}
