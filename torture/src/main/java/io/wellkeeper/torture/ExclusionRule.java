package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Those who hold a lock at the same time have no more permits together than there are: {@code overlap}. Only times count for
 * which it is proven that a holder thought so, so no pause excuses it, and no other fault but one by which the store
 * {@linkplain Trouble#forgetful forgets}.
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
        PriorityQueue<Section> inside = new PriorityQueue<>(Comparator.comparingLong(Section::heldUntil));
        long permits = 0;
        for (Section next : sections) {
            while (!inside.isEmpty() && inside.element().heldUntil() <= next.granted) {
                permits -= inside.remove().permits;
            }
            if (permits + next.permits > lock.permits && !trouble.forgetful().touch(next.granted, next.granted)) {
                found.accept(new Violation(
                        "overlap",
                        next.granted,
                        lock.name,
                        next + " was let in while " + inside.element() + " held it" + others(inside.size() - 1)));
            }
            inside.add(next);
            permits += next.permits;
        }
    }

    private static String others(int count) {
        return count == 0 ? "" : ", and " + count + " others";
    }
}
