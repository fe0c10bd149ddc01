package io.wellkeeper.internal;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The face of a {@link Gate} that threads and handles see. */
final class NamedLock implements DistributedLock {

    private final String name;
    private final LockOptions options;
    private final AbstractClient client;

    NamedLock(String name, LockOptions options, AbstractClient client) {
        this.name = name;
        this.options = options;
        this.client = client;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        if (!reenter(true)) {
            result(awaitUninterruptibly(submit(Request.blocking(Thread.currentThread(), true, options, now()))));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        throwIfInterrupted();
        if (!reenter(true)) {
            result(await(submit(Request.blocking(Thread.currentThread(), true, options, now()))));
        }
    }

    @Override
    public boolean tryLock() {
        return reenter(false)
                || result(awaitUninterruptibly(timed(
                                Request.blocking(Thread.currentThread(), false, options, now()),
                                client.storeTimeout())))
                        .isPresent();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        throwIfInterrupted();
        return reenter(false)
                || result(await(timedOrUntimed(Thread.currentThread(), Math.max(0, unit.toNanos(time)))))
                        .isPresent();
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        throwIfInterrupted();
        return new Handle(result(await(submit(Request.blocking(null, true, options, now()))))
                .orElseThrow());
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        Request request = timed(Request.blocking(null, false, options, now()), client.storeTimeout());
        return result(awaitUninterruptibly(request)).map(Handle::new);
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration timeout) throws InterruptedException {
        throwIfInterrupted();
        return result(await(timedOrUntimed(null, nanos(timeout)))).map(Handle::new);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync() {
        Promise<LockHandle> promise =
                new Promise<>(hold -> hold.map(Handle::new).orElseThrow());
        promise.begin(request -> submit(request), true);
        return promise;
    }

    @Override
    public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(Duration timeout) {
        Promise<Optional<LockHandle>> promise = new Promise<>(hold -> hold.map(Handle::new));
        long nanos = nanos(timeout);
        promise.begin(
                request -> timed(request, nanos > 0 ? Duration.ofNanos(nanos) : client.storeTimeout()), nanos > 0);
        return promise;
    }

    private Request timedOrUntimed(@Nullable Thread owner, long nanos) {
        return timed(
                Request.blocking(owner, nanos > 0, options, now()),
                nanos > 0 ? Duration.ofNanos(nanos) : client.storeTimeout());
    }

    /** Submits a request that ends by itself after this time. */
    private Request timed(Request request, Duration timeout) {
        submit(request);
        if (!request.isDecided()) {
            request.alarm(client.time().schedule(timeout, request::timeOut));
        }
        return request;
    }

    private Request submit(Request request) {
        while (!client.gate(name, options).submit(request)) {
            Thread.onSpinWait(); // the gate was just being retired
        }
        return request;
    }

    private Request awaitUninterruptibly(Request request) {
        boolean interrupted = false;
        while (!request.await()) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return request;
    }

    private Request await(Request request) throws InterruptedException {
        if (!request.await()) {
            if (request.withdraw()) {
                throw new InterruptedException();
            }
            Thread.currentThread().interrupt(); // too late: the outcome stands, and the interrupt with it
        }
        return request;
    }

    private static Optional<Hold> result(Request request) {
        request.endAlarm();
        return Request.read(Objects.requireNonNull(request.outcome()));
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Counts one more hold if this thread has the lock already. */
    private boolean reenter(boolean wouldWait) {
        Hold hold = mineOrNull();
        if (hold == null) {
            return false;
        }
        if (!hold.isHeld()) {
            throw new LockLostException("this thread must unlock before it can acquire again: "
                    + hold.exception().getMessage());
        }
        if (hold.reenter(options)) {
            return true;
        }
        if (wouldWait) {
            throw new IllegalStateException(
                    "lock '" + name + "' is not reentrant, and this thread holds it: it would wait for itself");
        }
        return false;
    }

    @Override
    public void unlock() {
        Hold hold = mine();
        if (hold.isHeld() && hold.count() > 1) {
            hold.less();
        } else {
            awaitRelease(hold.unlock());
        }
    }

    private void awaitRelease(@Nullable CompletionStage<Void> sent) {
        if (sent == null || !options.awaitRelease()) {
            return;
        }
        AbstractClient.awaitQuietly(
                sent, System.nanoTime() + client.storeTimeout().toNanos(), "the release of lock '" + name + "'");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("conditions are not supported");
    }

    @Override
    public Condition newCondition(String conditionName) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration onRevocationRequested(io.wellkeeper.RevocationListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long fencingToken() {
        return mine().fencingToken();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return holdCount() > 0;
    }

    @Override
    public int holdCount() {
        Hold hold = mineOrNull();
        return hold != null && hold.isHeld() ? hold.count() : 0;
    }

    @Override
    public void checkHeld() {
        mine().check();
    }

    @Override
    public Duration remaining() {
        Hold hold = mineOrNull();
        return hold == null ? Duration.ZERO : hold.remaining();
    }

    @Override
    public Registration onLost(Runnable action) {
        Hold hold = mine();
        hold.check();
        return hold.onLost(action);
    }

    /** What this thread holds, or has lost and not yet unlocked. */
    private @Nullable Hold mineOrNull() {
        Gate gate = client.gateInUse(name);
        return gate == null ? null : gate.holdOf(Thread.currentThread());
    }

    private Hold mine() {
        Hold hold = mineOrNull();
        if (hold == null) {
            throw new IllegalMonitorStateException("lock '" + name + "' is not held by this thread");
        }
        return hold;
    }

    private long now() {
        return client.time().nanoTime();
    }

    private static long nanos(Duration timeout) {
        try {
            return Math.max(0, timeout.toNanos());
        } catch (ArithmeticException forEver) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE / 4;
        }
    }

    @Override
    public String toString() {
        return "DistributedLock[" + name + "]";
    }

    /** A hold that is bound to no thread. */
    private final class Handle implements LockHandle {

        private final Hold hold;
        private final AtomicBoolean closed = new AtomicBoolean();

        Handle(Hold hold) {
            this.hold = hold;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long fencingToken() {
            return hold.fencingToken();
        }

        @Override
        public boolean isHeld() {
            return hold.isHeld();
        }

        @Override
        public void checkHeld() {
            hold.check();
        }

        @Override
        public Duration remaining() {
            return hold.remaining();
        }

        @Override
        public Registration onLost(Runnable action) {
            return closed.get() ? Registration.NONE : hold.onLost(action);
        }

        @Override
        public CompletableFuture<Void> lost() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Registration onRevocationRequested(io.wellkeeper.RevocationListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                awaitRelease(hold.unlock());
            }
        }

        @Override
        public String toString() {
            return "LockHandle[" + name + "]";
        }
    }

    /** A handle to come. However the future is completed by somebody else, the request leaves the queue. */
    private final class Promise<T> extends CompletableFuture<T> {

        private final Function<Optional<Hold>, T> view;

        Promise(Function<Optional<Hold>, T> view) {
            this.view = view;
        }

        void begin(Consumer<Request> submission, boolean mayWait) {
            Request request = Request.async(
                    mayWait, options, now(), decided -> client.events().run(() -> settle(decided)));
            try {
                submission.accept(request);
            } catch (RuntimeException refused) {
                completeExceptionally(refused);
                return;
            }
            whenComplete((handle, failure) -> request.withdraw());
        }

        private void settle(Request decided) {
            decided.endAlarm();
            if (decided.outcome() == Request.No.CANCELLED) {
                return; // the future has been completed by somebody else
            }
            Optional<Hold> hold;
            try {
                hold = result(decided);
            } catch (RuntimeException failure) {
                completeExceptionally(failure);
                return;
            }
            if (!complete(view.apply(hold)) && hold.isPresent() && hold.get().isHeld()) {
                hold.get().unlock();
            }
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
