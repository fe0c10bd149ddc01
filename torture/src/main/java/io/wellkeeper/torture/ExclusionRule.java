package io.wellkeeper.torture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Holders at the same time together have no more permits than the lock has: {@code overlap}. Only times count for which
 * it is proven that the holder believed that it held, so a pause does not excuse an overlap. Only a fault by which the
 * store {@linkplain Trouble#forgetful forgets} excuses it, for a limited time.
 */
final class ExclusionRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        run.locks().forEach(lock -> check(lock, trouble, found));
    }

    private static void check(Run.LockUse lock, Trouble trouble, Consumer<Violation> found) {
        List<Section> sections =
                new ArrayList<>(lock.sections.stream().filter(Section::hasCore).toList());
        sections.sort(
                Comparator.comparingLong((Section section) -> section.granted).thenComparingLong(Section::heldUntil));
        Deque<Long> ends = new ArrayDeque<>(
                trouble.forgetful().list().stream().map(Spans.Span::to).toList());
        Inside inside = new Inside(lock, found);
        for (Section next : sections) {
            while (!ends.isEmpty() && ends.element() < next.granted) {
                inside.noMoreExcused(ends.remove());
            }
            inside.enter(next, trouble.forgetful().touch(next.granted, next.granted));
        }
        ends.forEach(inside::noMoreExcused);
    }

    /** The holders at a moment that moves forward. */
    private static final class Inside {

        private final Run.LockUse lock;
        private final Consumer<Violation> found;
        private final PriorityQueue<Section> holders =
                new PriorityQueue<>(Comparator.comparingLong(Section::heldUntil));
        private long permits;

        Inside(Run.LockUse lock, Consumer<Violation> found) {
            this.lock = lock;
            this.found = found;
        }

        void enter(Section next, boolean excused) {
            leave(next.granted);
            if (permits + next.permits > lock.permits && !excused) {
                report(next.granted, next + " was let in while " + holders.element() + " held it" + others(1));
            }
            holders.add(next);
            permits += next.permits;
        }

        /** An excuse ends at this time: from now on too many holders are an overlap. */
        void noMoreExcused(long time) {
            leave(time);
            if (permits > lock.permits) {
                report(time, holders.element() + " held it still, and so did another one" + others(2));
            }
        }

        private void leave(long time) {
            while (!holders.isEmpty() && holders.element().heldUntil() <= time) {
                permits -= holders.remove().permits;
            }
        }

        private void report(long time, String detail) {
            found.accept(new Violation("overlap", time, lock.name, detail));
        }

        private String others(int named) {
            int count = holders.size() - named;
            return count == 0 ? "" : ", and " + count + " others";
        }
    }
}
