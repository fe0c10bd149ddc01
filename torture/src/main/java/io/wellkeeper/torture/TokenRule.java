package io.wellkeeper.torture;

import java.util.List;
import java.util.function.Consumer;

/**
 * Tokens grow. A holder that was let in before another one asked has a smaller token than the other; so has a holder
 * that had lost the lock before the other one held it ({@code token-order}). No two holders have the same token ({@code
 * token-reuse}), except that readers may share one; the order of readers among themselves does not count. A holder that
 * the store has {@linkplain Trouble#forgetful forgotten} may go on holding beside, or after, a holder with a larger
 * token until it is told; then only the times of the requests count.
 */
final class TokenRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        run.locks().forEach(lock -> check(lock, trouble, found));
    }

    private static void check(Run.LockUse lock, Trouble trouble, Consumer<Violation> found) {
        Order all = new Order();
        Order exclusive = new Order();
        for (List<Section> same : lock.byToken()) {
            reuse(lock, same, found);
            for (Section section : same) {
                boolean reader = lock.has(Lock.SHARED_TOKENS) && !lock.isExclusive(section);
                (reader ? exclusive : all).check(lock, section, trouble, found);
            }
            for (Section section : same) {
                all.add(lock, section);
                if (lock.isExclusive(section)) {
                    exclusive.add(lock, section);
                }
            }
        }
    }

    private static void reuse(Run.LockUse lock, List<Section> same, Consumer<Violation> found) {
        List<Section> own = lock.has(Lock.SHARED_TOKENS)
                ? same.stream().filter(lock::isExclusive).toList()
                : same;
        for (Section section : own.subList(Math.min(1, own.size()), own.size())) {
            found.accept(new Violation(
                    "token-reuse", section.granted, lock.name, section + " has the token of " + own.get(0)));
        }
    }

    /** The order in which a section may follow several sections with smaller tokens. */
    private static final class Order {

        private final Latest held = new Latest(true);
        private final Latest asked = new Latest(false);

        void add(Run.LockUse lock, Section section) {
            held.add(lock, section);
            asked.add(lock, section);
        }

        void check(Run.LockUse lock, Section section, Trouble trouble, Consumer<Violation> found) {
            boolean forgetful = trouble.forgetful().touch(section.granted, section.granted);
            (forgetful ? asked : held).check(lock, section, found);
        }
    }

    /** The last of several sections: a section that holds the lock after all of them must be let in after this one. */
    private static final class Latest {

        private final boolean holding; // whether times of holding count, and not only those of requests
        private long time = Long.MIN_VALUE;
        private String who = "";
        private long granted;
        private long heldUntil;
        private boolean exclusive;

        Latest(boolean holding) {
            this.holding = holding;
        }

        void add(Run.LockUse lock, Section section) {
            boolean held = holding && lock.isExclusive(section) && section.hasCore();
            long earliest = held ? Math.max(section.request, section.heldUntil()) : section.request;
            if (earliest > time) {
                time = earliest;
                who = section.toString();
                granted = section.granted;
                heldUntil = section.heldUntil();
                exclusive = lock.isExclusive(section);
            }
        }

        void check(Run.LockUse lock, Section section, Consumer<Violation> found) {
            if (time <= section.granted) {
                return;
            }
            boolean overlap = (exclusive || lock.isExclusive(section))
                    && section.hasCore()
                    && heldUntil >= granted
                    && granted < section.heldUntil()
                    && section.granted < heldUntil;
            if (!overlap) { // another rule reports an overlap
                found.accept(new Violation(
                        "token-order",
                        section.granted,
                        lock.name,
                        section + " came before " + who + ", which has a smaller token"));
            }
        }
    }
}
