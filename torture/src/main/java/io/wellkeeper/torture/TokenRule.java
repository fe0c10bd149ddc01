package io.wellkeeper.torture;

import java.util.List;
import java.util.function.Consumer;

/**
 * Tokens grow: who was let in before somebody else asked, or had held and lost the lock before somebody else held it, has a
 * smaller token than he ({@code token-order}); and no two have the same ({@code token-reuse}). Readers may have a token in
 * common, and their order among themselves does not count. Whom the store has {@linkplain Trouble#forgetful forgotten} may hold on beside,
 * or after, somebody with a larger token until he is told; only who asked counts then.
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

    /** Of several sections with smaller tokens. */
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

    /** Of several sections, the one before which none can come that holds the lock after all of them. */
    private static final class Latest {

        private final boolean holding; // counts, and not only asking
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
            if (!overlap) { // that says another rule
                found.accept(new Violation(
                        "token-order",
                        section.granted,
                        lock.name,
                        section + " came before " + who + ", which has a smaller token"));
            }
        }
    }
}
