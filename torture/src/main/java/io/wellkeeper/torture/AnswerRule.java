package io.wellkeeper.torture;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Whether somebody holds a lock is answered at once, whatever the network and the servers do ({@code slow-answer}); and no
 * request fails where there is no trouble ({@code unprovoked-failure}), unless it is for a lock that comes to its end.
 */
final class AnswerRule implements Rule {

    /** How long an answer may take that needs nobody else: the machine is busy. */
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
                        && !timeOver // then it says only that the store was slow
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
