package io.wellkeeper.internal;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
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
 * <p>The number changes only under the lock. A waiter that has been let in and gives up or dies before it has the lock
 * again leaves its permit, and its departure lets the next one in: so no signal is lost. What would be left over when
 * nobody waits is taken off by the next who begins to wait.
 *
 * <p>A waiter whose ticket is gone, because its session was lost, cannot know what it has missed; it goes on as if it had
 * been signalled.
 */
final class QueueCondition implements Condition {

    private static final CompletionStage<Boolean> DONE = CompletableFuture.completedFuture(true);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,32}");

    private final NamedLock lock;
    private final String queue;
    private final TicketClient client;

    QueueCondition(NamedLock lock, String name, TicketClient client) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "condition name '" + name + "': 1 to 32 letters, digits and - _ . are allowed");
        }
        this.lock = lock;
        this.queue = InternalNames.condition(lock.name(), name);
        this.client = client;
    }

    @Override
    public void await() throws InterruptedException {
        Waiter waiter = new Waiter(true);
        waiter.await();
        waiter.throwIfInterrupted();
    }

    @Override
    public void awaitUninterruptibly() {
        new Waiter(false).await();
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
        Waiter waiter = new Waiter(true);
        Registration alarm = client.time().schedule(Duration.ofNanos(Math.max(0, nanos)), waiter::timeOut);
        try {
            waiter.await();
        } finally {
            alarm.close();
        }
        waiter.throwIfInterrupted();
        return waiter.signalled();
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
        boolean done = false;
        while (!done) {
            done = client.ask(session -> {
                var target = session.queue(queue);
                return Snapshot.list(target).thenCompose(seen -> {
                    int waiting = seen.holders().size() + seen.waiters().size();
                    int now = seen.size().orElse(0);
                    int then = (int) Math.min(waiting, (long) now + more);
                    return then == now
                            ? DONE
                            : target.post(
                                    seen.notice(),
                                    seen.form()
                                            .with(Snapshot.SIZE, Integer.toString(then))
                                            .format());
                });
            });
        }
    }

    @Override
    public String toString() {
        return "Condition[" + queue + "]";
    }

    /** How one wait goes on; written by the store's thread, and read by the one that waits. */
    private final class Waiter implements Attempt.Listener, Size {

        private enum State {
            ASKING,
            QUEUED,
            SIGNALLED,
            WOKEN,
            FAILED,
            TIMED_OUT,
            INTERRUPTED
        }

        private final Thread thread = Thread.currentThread();
        private final boolean interruptible;
        private final AtomicReference<State> state = new AtomicReference<>(State.ASKING);
        private volatile @Nullable Grant grant; // written before the state
        private volatile @Nullable RuntimeException failure; // written before the state
        private boolean measured;

        Waiter(boolean interruptible) {
            this.interruptible = interruptible;
        }

        boolean signalled() {
            return state.get() == State.SIGNALLED || state.get() == State.WOKEN;
        }

        void throwIfInterrupted() throws InterruptedException {
            if (state.get() == State.INTERRUPTED) {
                throw new InterruptedException();
            }
        }

        /** Returns with the lock held again. */
        void await() {
            Hold hold = lock.holdToWaitWith();
            if (interruptible && Thread.interrupted()) {
                state.set(State.INTERRUPTED);
                return;
            }
            int nested = hold.count();
            Attempt attempt = client.contender()
                    .attempt(
                            queue,
                            Want.signal(this),
                            true,
                            () -> client.metadata().of(List.of(hold), List.of()),
                            this);
            Registration loss = hold.onLost(() -> LockSupport.unpark(thread));
            attempt.start();
            boolean interrupted = false;
            try {
                while (state.get() == State.ASKING && hold.isHeld()) {
                    interrupted |= park();
                }
                if (!hold.isHeld()) {
                    throw hold.exception();
                }
                if (state.get() != State.FAILED && state.get() != State.INTERRUPTED && state.get() != State.TIMED_OUT) {
                    lock.door().leave(hold);
                    while (state.get() == State.QUEUED) {
                        interrupted |= park();
                    }
                    lock.lock();
                    lock.holdToWaitWith().restore(nested);
                }
                answer();
            } finally {
                loss.close();
                attempt.abandon();
                Grant unanswered = grant;
                if (unanswered != null) {
                    unanswered.leave();
                }
                if (interrupted) {
                    thread.interrupt();
                }
            }
            RuntimeException refused = failure;
            if (refused != null) {
                throw refused;
            }
        }

        /** True if an interrupt must be remembered. */
        private boolean park() {
            LockSupport.park(this);
            if (!Thread.interrupted()) {
                return false;
            }
            return !(interruptible && end(State.INTERRUPTED));
        }

        /** The signal has done what it was for; unless the ticket is gone, and the next one has it by now. */
        private void answer() {
            Grant answered = grant;
            if (answered != null && answered.valid()) {
                try {
                    client.repin(queue, notice -> {
                        int left = notice.number(Snapshot.SIZE).orElse(0) - 1;
                        return left > 0
                                ? notice.with(Snapshot.SIZE, Integer.toString(left))
                                : notice.without(Snapshot.SIZE);
                    });
                } catch (LockStoreException unknown) {
                    return; // if it is still there, somebody else wakes for nothing
                }
            }
        }

        private boolean end(State last) {
            boolean ended = state.compareAndSet(State.QUEUED, last) || state.compareAndSet(State.ASKING, last);
            if (ended) {
                LockSupport.unpark(thread);
            }
            return ended;
        }

        void timeOut() {
            end(State.TIMED_OUT);
        }

        @Override
        public Reading read(NoticeForm notice, int ahead) {
            OptionalInt said = notice.number(Snapshot.SIZE);
            int signals = said.orElse(0);
            boolean first = !measured;
            measured = true;
            return first && signals > ahead
                    ? new Reading(ahead, notice.with(Snapshot.SIZE, Integer.toString(ahead)))
                    : new Reading(signals, null);
        }

        @Override
        public void entered(Grant won) {
            won.begin(() -> {});
            grant = won;
            if (!end(State.SIGNALLED)) {
                grant = null;
                won.leave();
            }
        }

        @Override
        public void waiting() {
            if (state.compareAndSet(State.ASKING, State.QUEUED)) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void refused() {
            end(State.WOKEN);
        }

        @Override
        public void failed(RuntimeException reason) {
            failure = reason;
            end(State.FAILED);
        }
    }
}
