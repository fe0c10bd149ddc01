package io.wellkeeper.torture;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A holder that asks whether it holds the lock is answered at once, whatever the network and the servers do
 * ({@code slow-answer}). No request fails without trouble ({@code unprovoked-failure}), unless the lock's numbers come
 * to their end.
 */
final class AnswerRule implements Rule {

    /** How long an answer may take that needs no other process: the machine may be busy. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(500);

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        for (Run.LockUse lock : run.locks()) {
            for (Section section : lock.sections) {
                long asked = section.slowestAsked;
                if (section.slowest > TOLERANCE
                        && section.slowest - 2 * trouble.delay(section.process, asked, asked + section.slowest)
                                > TOLERANCE
                        && !trouble.stops(section.process).touch(asked, asked + section.slowest)) {
                    found.accept(new Violation(
                            "slow-answer",
                            asked,
                            lock.name,
                            section + " was told after " + TimeUnit.NANOSECONDS.toMillis(section.slowest)
                                    + " ms whether it held"));
                }
                boolean timeOver = section.timeout >= 0 && section.over >= section.request + section.timeout;
                if (!section.failure.isEmpty()
                        && !lock.has(Lock.ENDS)
                        && !timeOver // else the failure says only that the store was slow
                        && !trouble.of(section.process).touch(section.request, section.over)) {
                    found.accept(new Violation(
                            "unprovoked-failure",
                            section.over,
                            lock.name,
                            section + " failed with " + section.failure + " though nothing had happened to it"));
                }
            }
        }
    }
}
