package io.wellkeeper.internal;

import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The ways into a {@link Gate} for all callers that want the same of it: by waiting, by a try, and without blocking.
 *
 * @param <H> the kind of handle for a hold that is bound to no thread
 */
final class Door<H extends LockHandle> {

    private final AbstractClient client;
    private final String name;
    private final Side side;
    private final Want want;
    private final LockOptions options;
    private final BiFunction<Door<?>, Hold, H> handle;

    Door(
            AbstractClient client,
            String name,
            Side side,
            Want want,
            LockOptions options,
            BiFunction<Door<?>, Hold, H> handle) {
        this.client = client;
        this.name = name;
        this.side = side;
        this.want = want;
        this.options = options;
        this.handle = handle;
    }

    String name() {
        return name;
    }

    Side side() {
        return side;
    }

    /** See {@link AbstractClient#describe(Class, Object...)}. */
    String describe(Class<?> kind, Object... parts) {
        return client.describe(kind, parts);
    }

    boolean isOf(AbstractClient other, String otherName) {
        return client == other && name.equals(otherName);
    }

    private H handle(Hold hold) {
        return handle.apply(this, hold);
    }

    /** A request of the current thread. The hold will belong to the given owner, or to no thread. */
    Request request(@Nullable Thread owner, boolean mayWait) {
        return Request.blocking(name, side, want, owner, mayWait, options, now());
    }

    long now() {
        return client.time().nanoTime();
    }

    /** Waits for as long as it takes, also if the thread is interrupted. */
    Hold enter(Request request) {
        return result(awaitUninterruptibly(submit(request))).orElseThrow();
    }

    Hold enterInterruptibly(Request request) throws InterruptedException {
        return result(await(submit(request))).orElseThrow();
    }

    /** Waits for the store's answer, but not in the queue. */
    Optional<Hold> tryEnter(Request request) {
        return result(awaitUninterruptibly(timed(request, client.storeTimeout())));
    }

    /** @param nanos if zero, waits for the store and not in the queue */
    Optional<Hold> tryEnter(Request request, long nanos) throws InterruptedException {
        return result(await(timed(request, limit(nanos))));
    }

    private Duration limit(long nanos) {
        return nanos > 0 ? Duration.ofNanos(nanos) : client.storeTimeout();
    }

    H acquire() throws InterruptedException {
        throwIfInterrupted();
        return handle(enterInterruptibly(request(null, true)));
    }

    Optional<H> tryAcquire() {
        return tryEnter(request(null, false)).map(this::handle);
    }

    Optional<H> tryAcquire(Duration timeout) throws InterruptedException {
        throwIfInterrupted();
        long nanos = nanos(timeout);
        return tryEnter(request(null, nanos > 0), nanos).map(this::handle);
    }

    CompletableFuture<H> acquireAsync() {
        Promise<H> promise = new Promise<>(hold -> hold.map(this::handle).orElseThrow());
        promise.begin(this::submit, true);
        return promise;
    }

    CompletableFuture<Optional<H>> tryAcquireAsync(Duration timeout) {
        Promise<Optional<H>> promise = new Promise<>(hold -> hold.map(this::handle));
        long nanos = nanos(timeout);
        promise.begin(request -> timed(request, limit(nanos)), nanos > 0);
        return promise;
    }

    /**
     * Begins to acquire without blocking.
     *
     * @param owner the thread to which the hold will belong
     * @param mayWait whether it waits in the queue
     * @param since when the caller began; the limit counts from then on
     * @param nanos the limit, after which the request ends by itself; negative for none
     * @param callback told of the outcome, on any thread
     */
    Request begin(@Nullable Thread owner, boolean mayWait, long since, long nanos, Consumer<Request> callback) {
        Request request = Request.async(name, side, want, owner, mayWait, options, since, callback);
        return nanos < 0 ? submit(request) : timed(request, Duration.ofNanos(nanos));
    }

    /** Submits a request that ends by itself when this time has passed since the caller began. */
    private Request timed(Request request, Duration timeout) {
        submit(request);
        if (!request.isDecided()) {
            request.alarm(client.time().schedule(left(request, timeout), request::timeOut));
            if (left(request, timeout).isZero()) { // the time may have passed before the alarm was set
                request.timeOut();
            }
        }
        return request;
    }

    private Duration left(Request request, Duration timeout) {
        return Duration.ofNanos(Math.max(0, timeout.toNanos() - (now() - request.since())));
    }

    private Request submit(Request request) {
        while (!client.gate(name, side, options).submit(request)) {
            Thread.onSpinWait(); // the gate was just being retired
        }
        return request;
    }

    private static Request awaitUninterruptibly(Request request) {
        boolean interrupted = false;
        while (!request.await()) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return request;
    }

    private static Request await(Request request) throws InterruptedException {
        if (!request.await()) {
            boolean withdrawn = request.withdraw(Request.No.INTERRUPTED);
            awaitUninterruptibly(request);
            if (withdrawn) {
                throw new InterruptedException();
            }
            Thread.currentThread().interrupt(); // too late: both the outcome and the interrupt stand
        }
        return request;
    }

    private static Optional<Hold> result(Request request) {
        request.endAlarm();
        return Request.read(Objects.requireNonNull(request.outcome()));
    }

    static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    static long nanos(Duration timeout) {
        try {
            return Math.max(0, timeout.toNanos());
        } catch (ArithmeticException forEver) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE / 4;
        }
    }

    /** Whether a release waits until the store has acknowledged it. */
    boolean awaitsRelease() {
        return options.awaitRelease();
    }

    /** Waits until the store has acknowledged a release, if the options say so and something was sent. */
    void awaitRelease(@Nullable CompletionStage<Void> sent) {
        if (sent != null && awaitsRelease()) {
            AbstractClient.awaitQuietly(
                    sent, System.nanoTime() + client.storeTimeout().toNanos(), "the release of lock '" + name + "'");
        }
    }

    /**
     * Waits for the store's answer, also if the thread is interrupted. Completes the future when the wait ends early.
     */
    void await(CompletableFuture<Void> asked) {
        client.await(client.question(asked, () -> null));
    }

    /** Ends a hold that no caller has received. If it is lost by now, there is nothing left to give back. */
    static void giveBack(Hold hold) {
        try {
            hold.unlock();
        } catch (LockLostException known) {
            // the hold has ended already
        }
    }

    /**
     * Exchanges a writer's handle, which is closed, for a handle of this side; at once, so that nobody gets in between.
     */
    H exchange(LockHandle stronger) {
        holdOf(stronger, List.of(Side.WRITE));
        return handle(end(stronger, hold -> hold.exchange(request(null, false))));
    }

    /**
     * The hold of a handle.
     *
     * @throws IllegalArgumentException if the handle is not of this name and client, or not of one of these sides
     * @throws IllegalMonitorStateException if it is not held
     */
    Hold holdOf(LockHandle handle, List<Side> sides) {
        if (handle instanceof Handle own
                && own.door().isOf(client, name)
                && sides.contains(own.hold().side())) {
            own.hold().check();
            return own.hold();
        }
        throw new IllegalArgumentException(
                handle + ": a handle of '" + name + "', of this client, is wanted, and one of " + sides);
    }

    /**
     * Closes a handle, and ends its hold.
     *
     * @param how ends the hold; its result is returned
     * @throws LockLostException if the hold was lost; the handle is as it was
     * @throws IllegalStateException if the hold cannot be ended so; the handle is as it was
     * @throws IllegalMonitorStateException if the handle was closed before
     */
    static <T extends @Nullable Object> T end(LockHandle handle, Function<Hold, T> how) {
        return ((Handle) handle).end(how);
    }

    /** A handle to come. If somebody else completes the future, in whatever way, the request leaves the queue. */
    private final class Promise<T> extends Ending<T> {

        private final Function<Optional<Hold>, T> view;
        private volatile @Nullable Request submitted;

        Promise(Function<Optional<Hold>, T> view) {
            this.view = view;
        }

        void begin(Consumer<Request> submission, boolean mayWait) {
            Request request = Request.async(
                    name,
                    side,
                    want,
                    null,
                    mayWait,
                    options,
                    now(),
                    decided -> handOver(client.events(), () -> settle(decided), () -> takeBack(decided)));
            try {
                submission.accept(request);
            } catch (RuntimeException refused) {
                completeExceptionally(refused);
                return;
            }
            submitted = request;
        }

        @Override
        void end() {
            Request request = submitted;
            if (request != null) {
                request.withdraw(Request.No.CANCELLED);
            }
        }

        private void settle(Request decided) {
            Optional<Hold> hold;
            try {
                hold = result(decided);
            } catch (RuntimeException failure) {
                completeExceptionally(failure);
                return;
            }
            Futures.hand(hold, this, view, unwanted -> unwanted.ifPresent(Door::giveBack));
        }

        /** The future has been completed by somebody else. */
        private void takeBack(Request decided) {
            decided.endAlarm();
            if (decided.outcome() instanceof Hold hold) {
                giveBack(hold);
            }
        }
    }
}
