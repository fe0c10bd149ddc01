package io.wellkeeper.torture;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * No write comes in behind one with a larger token ({@code stale-write}), and nobody is refused who holds the lock
 * ({@code refused-holder}).
 */
final class WriteRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        List<Run.Write> writes = run.accepted().stream()
                .sorted(Comparator.comparingLong(Run.Write::time))
                .toList();
        Map<String, Long> largest = new HashMap<>();
        for (Run.Write write : writes) {
            long before = largest.merge(write.lock(), write.token(), Math::max);
            if (before > write.token()) {
                found.accept(new Violation(
                        "stale-write",
                        write.time(),
                        write.lock(),
                        "a write with token " + write.token() + " came in after one with " + before));
            }
        }
        for (Run.LockUse lock : run.locks()) {
            for (Section section : lock.sections) {
                if (section.hasCore()
                        && section.refused != Section.NEVER
                        && section.refused <= section.heldUntil()
                        && !trouble.forgetful().touch(section.refused, section.refused)) {
                    found.accept(new Violation(
                            "refused-holder",
                            section.refused,
                            lock.name,
                            section + " held it, and its write was refused"));
                }
            }
        }
    }
}
