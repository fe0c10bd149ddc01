package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockHandle;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** The hold of a guarded method; the method may use it, but not close it. */
abstract class BorrowedLock implements Held {

    private final LockedMethod method;
    private final Collection<Hold> holds;

    private BorrowedLock(LockedMethod method, Collection<Hold> holds) {
        this.method = method;
        this.holds = holds;
    }

    /**
     * The hold of a call of a method.
     *
     * @param names the names of the locks; each is held by one of the holds
     */
    static BorrowedLock of(LockedMethod method, Collection<String> names, Collection<Hold> holds) {
        return method.several()
                ? new Several(method, List.copyOf(names), holds)
                : new One(method, names.iterator().next(), holds);
    }

    /** The hold of a method with one name. */
    private static final class One extends BorrowedLock implements LockHandle {

        private final String name;
        private final Hold hold;

        One(LockedMethod method, String name, Collection<Hold> holds) {
            super(method, holds);
            this.name = name;
            this.hold = holds.iterator().next();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long fencingToken() {
            return hold.fencingToken(name);
        }
    }

    /** The hold of a method with several names. */
    private static final class Several extends BorrowedLock implements MultiLockHandle {

        private final List<String> names;

        Several(LockedMethod method, List<String> names, Collection<Hold> holds) {
            super(method, holds);
            this.names = names;
        }

        @Override
        public Map<String, Long> fencingTokens() {
            Map<String, Long> tokens = new LinkedHashMap<>();
            for (String name : names) {
                super.holds.stream()
                        .filter(hold -> hold.has(name))
                        .findFirst()
                        .ifPresent(hold -> tokens.put(name, hold.fencingToken(name)));
            }
            return tokens;
        }
    }

    @Override
    public boolean isHeld() {
        return holds.stream().allMatch(hold -> hold.held().isHeld());
    }

    @Override
    public void checkHeld() {
        holds.forEach(hold -> hold.held().checkHeld());
    }

    @Override
    public Duration remaining() {
        return holds.stream()
                .map(hold -> hold.held().remaining())
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public Registration onLost(Runnable action) {
        AtomicBoolean told = new AtomicBoolean();
        return all(holds.stream()
                .map(hold -> hold.held().onLost(() -> {
                    if (told.compareAndSet(false, true)) {
                        action.run();
                    }
                }))
                .toList());
    }

    @Override
    public Registration onRevocationRequested(RevocationListener listener) {
        return all(holds.stream()
                .map(hold -> hold.held().onRevocationRequested(listener))
                .toList());
    }

    private static Registration all(List<Registration> registrations) {
        return () -> registrations.forEach(Registration::close);
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("released when " + method + " has ended, and not before");
    }
}
