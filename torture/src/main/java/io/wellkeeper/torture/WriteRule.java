package io.wellkeeper.torture;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * No write is accepted after one with a larger token ({@code stale-write}), and no write of a holder is refused
 * ({@code refused-holder}).
 */
final class WriteRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        inOrder(run.accepted(), found);
        inOrder(run.fenced(), found);
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

    /** Checks the order: a write that began after another had been accepted was accepted after it. */
    private static void inOrder(List<Run.Write> writes, Consumer<Violation> found) {
        List<Run.Write> begun = sorted(writes, Run.Write::begin);
        List<Run.Write> ended = sorted(begun, Run.Write::end);
        Map<String, Long> largest = new HashMap<>();
        int earlier = 0;
        for (Run.Write write : begun) {
            for (; ended.get(earlier).end() < write.begin(); earlier++) {
                largest.merge(ended.get(earlier).lock(), ended.get(earlier).token(), Math::max);
            }
            long before = largest.getOrDefault(write.lock(), write.token());
            if (before > write.token()) {
                found.accept(new Violation(
                        "stale-write",
                        write.end(),
                        write.lock(),
                        "a write with token " + write.token() + " came in after one with " + before));
            }
        }
    }

    private static List<Run.Write> sorted(List<Run.Write> writes, ToLongFunction<Run.Write> time) {
        return writes.stream().sorted(Comparator.comparingLong(time)).toList();
    }
}
