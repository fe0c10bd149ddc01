package io.wellkeeper.internal;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A condition is a queue of its own with as many permits as there are signals that nobody has answered yet:
 *
 * <pre>
 *   await:   take a ticket; release the lock; wait to be let in; acquire the lock; one permit less, give the ticket back
 *   signal:  one permit more, if there are tickets that have none
 * </pre>
 *
 * <p>The number of permits changes only under the lock, except for a signal that is passed on late. A waiter that has
 * been let in, and gives up or dies before it has the lock again, leaves its permit. Its departure lets the next waiter
 * in, so no signal is lost. Permits that are left over when nobody waits are taken off by the next waiter as it begins.
 *
 * <p>A waiter whose ticket is gone, because its session was lost, cannot know what it has missed; it goes on as if it
 * had been signalled.
 */
final class QueueCondition implements DistributedCondition {

    private static final CompletionStage<Boolean> DONE = CompletableFuture.completedFuture(true);
    private static final CompletionStage<Boolean> UNSIGNALLED = CompletableFuture.completedFuture(false);
    private static final List<Side> EXCLUSIVE = List.of(Side.LOCK, Side.WRITE);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100); // before a signal is passed on late
    private static final Duration LAST_PAUSE = Duration.ofMillis(1_600);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1," + InternalNames.MAX_CONDITION + "}");

    private final NamedLock lock;
    private final String name;
    private final String queue;
    private final TicketClient client;

    QueueCondition(NamedLock lock, String name, TicketClient client) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("condition name '" + name + "': 1 to " + InternalNames.MAX_CONDITION
                    + " letters, digits and - _ . are allowed");
        }
        this.lock = lock;
        this.name = name;
        this.queue = InternalNames.condition(lock.name(), name);
        this.client = client;
    }

    @Override
    public void await() throws InterruptedException {
        await(true, null);
    }

    @Override
    public void awaitUninterruptibly() {
        try {
            await(false, null);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        long deadline = System.nanoTime() + Math.max(0, nanosTimeout);
        await(nanosTimeout);
        return deadline - System.nanoTime();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return await(unit.toNanos(time));
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        long now = System.currentTimeMillis();
        return await(deadline.getTime() <= now ? 0 : TimeUnit.MILLISECONDS.toNanos(deadline.getTime() - now));
    }

    private boolean await(long nanos) throws InterruptedException {
        return await(true, Duration.ofNanos(Math.max(0, nanos)));
    }

    private boolean await(boolean interruptible, @Nullable Duration timeout) throws InterruptedException {
        Hold hold = lock.holdToWaitWith();
        if (interruptible) {
            Door.throwIfInterrupted();
        }
        ThreadWait wait = new ThreadWait(hold, interruptible);
        boolean signalled = wait.await(timeout);
        if (wait.state() == ConditionWait.State.INTERRUPTED) {
            throw new InterruptedException();
        }
        return signalled;
    }

    @Override
    public void signal() {
        signal(1);
    }

    @Override
    public void signalAll() {
        signal(Integer.MAX_VALUE);
    }

    private void signal(int more) {
        lock.checkHeld();
        client.await(raise(more, false));
    }

    @Override
    public CompletableFuture<Void> signalAsync(LockHandle held) {
        return signalAsync(held, 1);
    }

    @Override
    public CompletableFuture<Void> signalAllAsync(LockHandle held) {
        return signalAsync(held, Integer.MAX_VALUE);
    }

    private CompletableFuture<Void> signalAsync(LockHandle held, int more) {
        lock.door().holdOf(held, EXCLUSIVE);
        return Futures.forUser(raise(more, false), client.events());
    }

    /**
     * Lets so many more waiters go on. It gives up after the store timeout.
     *
     * @param mayRepeat whether the change is requested again when its outcome is unknown, so that it may be made twice
     */
    private CompletableFuture<Boolean> raise(int more, boolean mayRepeat) {
        return client.insist(queue, mayRepeat, raise(more));
    }

    private TicketClient.Change<Boolean> raise(int more) {
        return (session, isOver) -> tryRaise(session.queue(queue), more, isOver);
    }

    /**
     * Tries the change once. Empty if another client has changed the number meanwhile, which is rare: it changes mostly
     * under the lock.
     */
    private static CompletionStage<Optional<Boolean>> tryRaise(TicketQueue target, int more, BooleanSupplier isOver) {
        return Snapshot.list(target).thenCompose(seen -> {
            if (isOver.getAsBoolean()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            int waiting = seen.holders().size() + seen.waiters().size();
            int now = seen.size().orElse(0);
            int then = (int) Math.min(waiting, (long) now + more);
            String form =
                    seen.form().with(Snapshot.SIZE, Integer.toString(then)).format();
            CompletionStage<Boolean> done = then == now ? DONE : target.post(seen.notice(), form);
            return done.thenApply(raised -> raised ? Optional.of(true) : Optional.empty());
        });
    }

    @Override
    public CompletableFuture<LockHandle> awaitAsync(LockHandle held) {
        return new AsyncWait(held).start(null);
    }

    @Override
    public CompletableFuture<LockHandle> awaitAsync(LockHandle held, Duration timeout) {
        return new AsyncWait(held).start(Duration.ofNanos(Door.nanos(timeout)));
    }

    @Override
    public String toString() {
        return client.describe(DistributedCondition.class, name, "lock " + lock.name(), lock.standing());
    }

    /** The wait of a thread, which parks until it is over. */
    private final class ThreadWait extends ConditionWait {

        private final Thread thread = Thread.currentThread();
        private final boolean interruptible;
        private final Hold hold;
        private boolean interrupted; // an interrupt is to be restored at the end; touched by the thread only
        private boolean interruptedIt; // an interrupt has ended the wait; touched by the thread only

        ThreadWait(Hold hold, boolean interruptible) {
            super(queue, hold, client);
            this.hold = hold;
            this.interruptible = interruptible;
        }

        @Override
        void moved() {
            LockSupport.unpark(thread);
        }

        /** Waits, and returns with the lock held again; true if it was signalled. */
        boolean await(@Nullable Duration timeout) {
            Registration loss = hold.wakeOnLoss(this::moved);
            try {
                begin(timeout);
                while (state() == State.ASKING && hold.isHeld()) {
                    park();
                }
                hold.check();
                throwIfRefused();
                waitWithout();
                throwIfRefused();
                interruptedIt = false; // an InterruptedException is thrown for it
            } finally {
                loss.close();
                finish();
                interrupted |= interruptedIt; // another exception is thrown
                if (interrupted) {
                    thread.interrupt();
                }
            }
            return isSignalled();
        }

        private void throwIfRefused() {
            RuntimeException refused = failure();
            if (refused != null) {
                throw Calls.own(refused);
            }
        }

        /** Releases the lock, waits, and acquires the lock again. */
        private void waitWithout() {
            int nested = hold.count();
            lock.door().awaitRelease(hold.letGo());
            lockIsGivenUp();
            while (!isOver()) {
                park();
            }
            if (isSignalled()) {
                answer(lock.lockAgain(nested));
            } else {
                finish();
                lock.lockAgain(nested);
            }
        }

        /** Takes the signal off, and waits for this as long as the lock is held. */
        private void answer(Hold again) {
            CompletableFuture<Boolean> answered = answer().toCompletableFuture();
            answered.whenComplete((taken, failure) -> moved());
            Registration loss = again.wakeOnLoss(this::moved);
            try {
                while (!answered.isDone() && again.isHeld()) {
                    park();
                }
                again.check();
            } finally {
                loss.close();
            }
        }

        private void park() {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                boolean first = interruptible && end(State.INTERRUPTED);
                interruptedIt |= first;
                interrupted |= !first;
            }
        }
    }

    /** The wait of a caller with a handle. It goes on whenever something has happened. */
    private final class AsyncWait extends ConditionWait {

        private enum Phase {
            HOLDING,
            LEAVING,
            WITHOUT,
            OVER
        }

        private final LockHandle held;
        private final Hold hold;
        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.HOLDING);
        private volatile @Nullable CompletableFuture<LockHandle> again; // once it is being acquired
        private final Ending<LockHandle> result = new Ending<>() {
            @Override
            void end() {
                finish();
                CompletableFuture<LockHandle> acquiring = again;
                if (acquiring != null) {
                    acquiring.cancel(false);
                }
            }
        };

        AsyncWait(LockHandle held) {
            this(held, lock.door().holdOf(held, EXCLUSIVE));
        }

        private AsyncWait(LockHandle held, Hold hold) {
            super(queue, hold, client);
            this.held = held;
            this.hold = hold;
        }

        CompletableFuture<LockHandle> start(@Nullable Duration timeout) {
            Registration loss = hold.wakeOnLoss(this::moved);
            result.whenComplete((handle, failure) -> loss.close());
            begin(timeout);
            return result;
        }

        /** Runs on any thread: a busy callback executor keeps nobody from the lock. */
        @Override
        void moved() {
            if (result.isEnding()) {
                return;
            }
            RuntimeException refused = failure();
            if (refused != null) {
                endWith(refused);
            } else if (state() != State.ASKING) {
                leave();
            } else if (!hold.isHeld()) {
                endWith(hold.exception());
            }
            if (isOver() && pass(Phase.WITHOUT, Phase.OVER)) {
                goOn();
            }
        }

        /** The lock is not acquired for nothing if the store has refused since it was given up. */
        private void goOn() {
            RuntimeException refused = failure();
            if (refused == null) {
                acquire();
            } else {
                fail(refused);
            }
        }

        private boolean pass(Phase from, Phase to) {
            return phase.compareAndSet(from, to);
        }

        /** Ends with a failure, unless the lock has been given up, or is just being given up. */
        private void endWith(RuntimeException failure) {
            if (pass(Phase.HOLDING, Phase.OVER)) {
                fail(failure);
            }
        }

        private void fail(Throwable failure) {
            client.events().run(() -> result.completeExceptionally(failure));
        }

        private void leave() {
            if (pass(Phase.HOLDING, Phase.LEAVING)) {
                try {
                    Door.end(held, Hold::letGo);
                    lockIsGivenUp();
                    phase.set(Phase.WITHOUT);
                } catch (IllegalMonitorStateException gone) {
                    fail(gone);
                }
            }
        }

        private void acquire() {
            if (!isSignalled()) {
                finish();
            }
            CompletableFuture<LockHandle> acquiring = lock.acquireAsync();
            again = acquiring;
            if (result.isEnding()) {
                acquiring.cancel(false);
            }
            acquiring.whenComplete((handle, failure) -> {
                if (handle == null) {
                    fail(failure);
                    return;
                }
                CompletionStage<Boolean> answered = isSignalled() ? answer() : UNSIGNALLED;
                answered.thenAccept(taken ->
                        result.handOver(client.events(), () -> hand(handle, taken), () -> giveBack(handle, taken)));
            });
        }

        private void hand(LockHandle handle, boolean signalTaken) {
            if (!result.complete(handle)) {
                giveBack(handle, signalTaken);
            }
        }

        /**
         * Releases the handle and passes the signal on to another waiter. A caller that has completed the result in
         * another way knows neither the handle nor the signal.
         */
        private void giveBack(LockHandle handle, boolean signalTaken) {
            CompletionStage<Boolean> passedOn = signalTaken ? raise(1, true) : DONE;
            passedOn.whenComplete((done, failure) -> {
                if (failure != null) {
                    passOnLater(failure, new Pauses(FIRST_PAUSE, LAST_PAUSE));
                }
                Door.end(handle, Hold::unlock);
            });
        }

        /** Passes the signal on later, without the lock until the store does it. At worst more waiters are woken. */
        private void passOnLater(Throwable failure, Pauses pauses) {
            if (!client.isClosed() && !Calls.isRefusal(failure.getCause())) {
                Duration pause = pauses.next(client.time().nanoTime());
                client.time().schedule(pause, () -> passOn(pauses));
            }
        }

        private void passOn(Pauses pauses) {
            client.insist(queue, true, raise(1), pauses).exceptionally(again -> {
                passOnLater(again, pauses);
                return false;
            });
        }
    }
}
