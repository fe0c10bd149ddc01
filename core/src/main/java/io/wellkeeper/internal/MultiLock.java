package io.wellkeeper.internal;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockLostException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The members in the order of their names; see {@link MultiAttempt} for how they are acquired. */
final class MultiLock implements DistributedMultiLock {

    private static final long FOR_EVER = -1;

    private final List<NamedLock> members;
    private final AbstractClient client;

    private MultiLock(List<NamedLock> members, AbstractClient client) {
        this.members = members;
        this.client = client;
    }

    static MultiLock of(List<? extends DistributedLock> locks, AbstractClient client) {
        List<NamedLock> members = new ArrayList<>();
        for (DistributedLock lock : locks) {
            if (!(lock instanceof NamedLock named) || named.client() != client) {
                throw new IllegalArgumentException(lock + " is not a lock of this client");
            }
            members.add(named);
        }
        if (members.isEmpty()) {
            throw new IllegalArgumentException("a multi-lock needs at least one lock");
        }
        members.sort(Comparator.comparing(NamedLock::name));
        for (int i = 1; i < members.size(); i++) {
            if (members.get(i).name().equals(members.get(i - 1).name())) {
                throw new IllegalArgumentException(
                        "a multi-lock names '" + members.get(i).name() + "' twice");
            }
        }
        return new MultiLock(List.copyOf(members), client);
    }

    @Override
    public List<String> names() {
        return members.stream().map(NamedLock::name).toList();
    }

    @Override
    public void lock() {
        try (Entry entry = new Entry()) {
            entry.reenter(true);
            entry.complete(entry.begin(FOR_EVER).awaitUninterruptibly());
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Door.throwIfInterrupted();
        enter(FOR_EVER);
    }

    @Override
    public boolean tryLock() {
        try (Entry entry = new Entry()) {
            entry.reenter(false);
            return entry.isPossible() && entry.complete(entry.begin(0).awaitUninterruptibly());
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = Futures.nanos(time, unit);
        Door.throwIfInterrupted();
        return enter(nanos);
    }

    private boolean enter(long nanos) throws InterruptedException {
        try (Entry entry = new Entry()) {
            entry.reenter(nanos < 0);
            return entry.isPossible() && entry.complete(entry.begin(nanos).await());
        }
    }

    /** One entry of a thread. If it is closed before it is complete, everything is left as it was. */
    private final class Entry implements AutoCloseable {

        private final List<NamedLock> again = new ArrayList<>();
        private List<Hold> acquired = List.of();
        private boolean complete;

        /** Enters once more each lock that this thread already holds. */
        void reenter(boolean wouldWait) {
            for (NamedLock member : members) {
                if (member.enterAtOnce(wouldWait)) {
                    again.add(member);
                }
            }
        }

        /** Whether this thread would not wait for itself. */
        boolean isPossible() {
            return members.stream().allMatch(member -> again.contains(member) || !member.waitsForItself());
        }

        /** Begins to acquire the locks that are missing. */
        MultiAttempt begin(long nanos) {
            List<NamedLock> rest = new ArrayList<>(members);
            rest.removeAll(again);
            MultiAttempt attempt = new MultiAttempt(rest, Thread.currentThread(), nanos, client);
            attempt.start();
            return attempt;
        }

        /**
         * All of it, or nothing.
         *
         * @param rest the holds of all missing locks, or none
         * @throws LockLostException if a lock that this thread held before was lost meanwhile
         */
        boolean complete(List<Hold> rest) {
            acquired = rest;
            if (again.size() + rest.size() == members.size()) {
                again.forEach(NamedLock::checkHeld);
                complete = true;
                rest.forEach(Hold::isWhole);
            }
            return complete;
        }

        @Override
        public void close() {
            if (!complete) {
                List<Runnable> undo = new ArrayList<>();
                again.forEach(member -> undo.add(() -> leave(member)));
                acquired.forEach(hold -> undo.add(() -> Door.giveBack(hold)));
                each(undo, Runnable::run);
            }
        }

        /** Leaves a lock. If the lock was lost, this thread is told when it unlocks its earlier hold. */
        private static void leave(NamedLock member) {
            try {
                member.unlock();
            } catch (LockLostException toldLater) {
                // one nested hold less of what was lost
            }
        }
    }

    /**
     * Runs an action for each, from the last to the first, also if it fails for some of them.
     *
     * @throws RuntimeException what was thrown first; the others are suppressed in it
     */
    private static <T> void each(List<T> all, Consumer<T> action) {
        RuntimeException first = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            try {
                action.accept(all.get(i));
            } catch (RuntimeException thrown) {
                if (first == null) {
                    first = thrown;
                } else if (first != thrown) {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void unlock() {
        checkOwner();
        releaseAll(members.stream()
                .<Supplier<@Nullable CompletionStage<Void>>>map(member -> member::release)
                .toList());
    }

    /** Releases all locks before it waits for the store's acknowledgement of any of them, if that is wanted. */
    private void releaseAll(List<Supplier<@Nullable CompletionStage<Void>>> releases) {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        try {
            each(releases, release -> {
                CompletionStage<Void> acknowledged = release.get();
                if (acknowledged != null) {
                    sent.add(acknowledged.toCompletableFuture());
                }
            });
        } finally {
            CompletableFuture<Void> all = CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
            members.stream()
                    .map(NamedLock::door)
                    .filter(Door::awaitsRelease)
                    .findFirst()
                    .ifPresent(door -> door.awaitRelease(all));
        }
    }

    /** Fails unless this thread owns all locks, held or lost. Then nothing is released. */
    private void checkOwner() {
        for (NamedLock member : members) {
            if (!member.isOwnedByCurrentThread()) {
                throw new IllegalMonitorStateException("lock '" + member.name() + "' is not held by this thread");
            }
        }
    }

    /** @throws UnsupportedOperationException always */
    @Override
    public DistributedCondition newCondition() {
        throw new UnsupportedOperationException("a multi-lock has no conditions");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return members.stream().allMatch(NamedLock::isHeldByCurrentThread);
    }

    @Override
    public void checkHeld() {
        members.forEach(NamedLock::checkHeld);
    }

    @Override
    public Map<String, Long> fencingTokens() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        members.forEach(member -> tokens.put(member.name(), member.fencingToken()));
        return tokens;
    }

    @Override
    public Registration onLost(Runnable action) {
        checkHeld();
        return once(action, members, NamedLock::onLost);
    }

    private static <T> Registration once(Runnable action, List<T> parts, BiFunction<T, Runnable, Registration> each) {
        AtomicBoolean told = new AtomicBoolean();
        Runnable first = () -> {
            if (told.compareAndSet(false, true)) {
                action.run();
            }
        };
        List<Registration> all =
                parts.stream().map(part -> each.apply(part, first)).toList();
        return () -> each(all, Registration::close);
    }

    @Override
    public MultiLockHandle acquire() throws InterruptedException {
        Door.throwIfInterrupted();
        members.forEach(NamedLock::refuseUpgrade);
        return new Handle(ofHandle(FOR_EVER).await());
    }

    @Override
    public Optional<MultiLockHandle> tryAcquire() {
        return upgradesFromRead() ? Optional.empty() : view(ofHandle(0).awaitUninterruptibly());
    }

    @Override
    public Optional<MultiLockHandle> tryAcquire(Duration timeout) throws InterruptedException {
        Door.throwIfInterrupted();
        return upgradesFromRead()
                ? Optional.empty()
                : view(ofHandle(Door.nanos(timeout)).await());
    }

    private boolean upgradesFromRead() {
        return members.stream().anyMatch(NamedLock::upgradesFromRead);
    }

    private MultiAttempt ofHandle(long nanos) {
        MultiAttempt attempt = new MultiAttempt(members, null, nanos, client);
        attempt.start();
        return attempt;
    }

    private Optional<MultiLockHandle> view(List<Hold> holds) {
        return holds.isEmpty() ? Optional.empty() : Optional.of(new Handle(holds));
    }

    @Override
    public CompletableFuture<MultiLockHandle> acquireAsync() {
        return promise(FOR_EVER, Handle::new);
    }

    @Override
    public CompletableFuture<Optional<MultiLockHandle>> tryAcquireAsync(Duration timeout) {
        return promise(Door.nanos(timeout), this::view);
    }

    /**
     * If somebody else completes the future, in whatever way, the queues are left, and all acquired locks are released.
     */
    private <T> CompletableFuture<T> promise(long nanos, Function<List<Hold>, T> view) {
        MultiAttempt attempt = new MultiAttempt(members, null, nanos, client);
        Ending<T> promise = new Ending<>() {
            @Override
            void end() {
                attempt.cancel();
            }
        };
        attempt.start().whenComplete((holds, failure) -> {
            List<Hold> acquired = failure == null ? holds : List.of();
            Runnable giveBack = () -> each(acquired, Door::giveBack);
            promise.handOver(
                    client.events(),
                    () -> {
                        if (failure == null) {
                            Futures.hand(holds, promise, view, unwanted -> giveBack.run());
                        } else {
                            promise.completeExceptionally(failure);
                        }
                    },
                    giveBack);
        });
        return promise;
    }

    private String standing() {
        if (!members.stream().allMatch(NamedLock::isOwnedByCurrentThread)) {
            return "not held by this thread";
        }
        return isHeldByCurrentThread() ? "held by this thread" : "lost by this thread";
    }

    @Override
    public String toString() {
        return client.describe(DistributedMultiLock.class, names(), standing());
    }

    /** One hold of each member. */
    private final class Handle implements MultiLockHandle {

        private final List<Hold> holds;
        private final AtomicBoolean closed = new AtomicBoolean();

        Handle(List<Hold> holds) {
            this.holds = holds;
        }

        @Override
        public Map<String, Long> fencingTokens() {
            Map<String, Long> tokens = new LinkedHashMap<>();
            for (int i = 0; i < holds.size(); i++) {
                tokens.put(members.get(i).name(), holds.get(i).fencingToken());
            }
            return tokens;
        }

        @Override
        public boolean isHeld() {
            return holds.stream().allMatch(Hold::isHeld);
        }

        @Override
        public void checkHeld() {
            holds.forEach(Hold::check);
        }

        @Override
        public Duration remaining() {
            return holds.stream()
                    .map(Hold::remaining)
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
        }

        @Override
        public Registration onRevocationRequested(RevocationListener listener) {
            if (closed.get()) {
                return Registration.NONE;
            }
            List<Registration> all = holds.stream()
                    .map(hold -> hold.onRevocationRequested(listener))
                    .toList();
            return () -> each(all, Registration::close);
        }

        @Override
        public Registration onLost(Runnable action) {
            return once(action, holds, Hold::onLost);
        }

        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            releaseAll(holds.stream()
                    .<Supplier<@Nullable CompletionStage<Void>>>map(hold -> hold::unlock)
                    .toList());
        }

        @Override
        public String toString() {
            String standing = isHeld() ? "held" : closed.get() ? "released" : "lost";
            return client.describe(MultiLockHandle.class, names(), standing);
        }
    }
}
