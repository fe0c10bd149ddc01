package io.wellkeeper.testkit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.internal.Monitor;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The process of one client: its clock, its timers, its callbacks and its connection. They all stop when the process is
 * paused, and end when it is killed. Single-threaded.
 */
final class SimulatedProcess implements Time {

    private enum State {
        RUNNING,
        PAUSED,
        DEAD
    }

    private static final int NOBODY = -1;

    private final SimulatedTime time;
    private final SplittableRandom random;
    private final InMemoryTicketStore connection;
    private final TicketStore store;
    private final Preemption preemption;
    private final Consumer<String> wrong;
    private final Worker timer = new Worker();
    private final Worker callbacks = new Worker();
    private final Deque<Runnable> handedIn = new ArrayDeque<>(); // callbacks given to the executor, not yet run
    private final Deque<Task> due = new ArrayDeque<>(); // tasks that fell due while it was paused
    private State state = State.RUNNING;
    private boolean cut;
    private int waiter = NOBODY; // the depth of the user's thread in call(), which waits for each timer that it sets
    private int pending;
    private int lateness; // how many nanoseconds timers are late, at most
    private long lastCallback;

    /**
     * @param bug makes the store a faulty one
     * @param wrong receives a description of each thing that the client must not do but did
     */
    SimulatedProcess(
            SimulatedTime time,
            InMemoryServer server,
            SplittableRandom random,
            UnaryOperator<TicketStore> bug,
            Preemption preemption,
            Consumer<String> wrong) {
        this.time = time;
        this.random = random;
        this.connection = new InMemoryTicketStore(server);
        this.store = SimulatedCalls.of(bug.apply(connection), this);
        this.preemption = preemption;
        this.wrong = wrong;
        this.lastCallback = time.nanoTime();
    }

    /** A thread, which runs one task after the other, though it may be held up within a task. */
    private static final class Worker {

        private final Deque<Task> waiting = new ArrayDeque<>();
        private boolean busy;

        void run(Task task) {
            waiting.add(task);
            if (busy) {
                return;
            }
            busy = true;
            try {
                for (Task next = waiting.poll(); next != null; next = waiting.poll()) {
                    next.run();
                }
            } finally {
                busy = false;
            }
        }
    }

    private final class Task implements Registration {

        private final Worker worker;
        private final Runnable work;
        private Registration alarm = Registration.NONE;
        private boolean over;

        Task(Worker worker, Runnable work) {
            this.worker = worker;
            this.work = work;
        }

        void fallDue() {
            if (state == State.PAUSED) {
                due.add(this);
            } else if (state == State.RUNNING) {
                worker.run(this);
            }
        }

        void run() {
            if (!over) {
                over = true;
                pending--;
                work.run();
            }
        }

        @Override
        public void close() {
            if (!over) {
                over = true;
                pending--;
                alarm.close();
            }
        }
    }

    TicketStore store() {
        return store;
    }

    /** A store of leases over the same connection. */
    LeaseStore leases() {
        return SimulatedCalls.of(new InMemoryLeaseStore(connection), this);
    }

    void expireLeases() {
        new InMemoryLeaseStore(connection).expireLeases();
    }

    boolean owns(Slip slip) {
        return slip.owner().link == connection.link();
    }

    /**
     * Whether this process has taken the ticket. That is so also if the server shows the ticket again after going back
     * to an older state; then the process knows that the ticket is void.
     */
    boolean hasTaken(Slip slip) {
        return slip.owner().beginner == connection.link();
    }

    /** Whether the server has ever ended a session of this process. */
    boolean hasLostSession() {
        return connection.link().hasLostSession();
    }

    /**
     * To be called when a thread of this process calls something outside. It must hold no monitor, and may be held up.
     *
     * @param delicate as in {@link Preemption#moment}
     */
    void callOut(String what, boolean delicate) {
        mustHoldNoMonitor(what);
        moment(delicate);
    }

    /** To be called when a thread of this process calls something outside: it must hold no monitor. */
    void mustHoldNoMonitor(String what) {
        if (!Monitor.noneHeld()) {
            wrong.accept(what + " is called under a monitor");
        }
    }

    /**
     * A moment at which the calling thread of this process may be held up.
     *
     * @param delicate as in {@link Preemption#moment}
     */
    void moment(boolean delicate) {
        preemption.moment(this, delicate);
    }

    @Override
    public long nanoTime() {
        moment(false);
        return time.nanoTime();
    }

    /** From now on timers are late by so many nanoseconds at most, as in a client that has many timers. */
    void delayAlarms(int most) {
        lateness = most;
    }

    @Override
    public Registration schedule(Duration delay, Runnable work) {
        moment(false);
        Task task = schedule(timer, lateness == 0 ? delay : delay.plusNanos(random.nextInt(lateness)), work);
        if (preemption.depth() == waiter && Monitor.noneHeld()) {
            preemption.await(() -> task.over);
        }
        return task;
    }

    /** Lets the user's thread wait for an answer, which must come, or end by a timeout. */
    @Override
    public <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException {
        preemption.await(answer::isDone);
        return answer.get();
    }

    private Task schedule(Worker worker, Duration delay, Runnable work) {
        Task task = new Task(worker, work);
        pending++;
        task.alarm = time.schedule(delay, task::fallDue);
        return task;
    }

    /** The options of a client in this process. Its close does not wait for the answers to what it sends then. */
    ClientOptions.Builder options(Duration session) {
        return ClientOptions.builder()
                .sessionTimeout(session)
                .closeTimeout(Duration.ZERO)
                .time(this)
                .callbackExecutor(executor());
    }

    /** An executor that runs callbacks one after the other, each a little late, and in order also after a pause. */
    Executor executor() {
        return work -> {
            callOut("execute", false);
            long now = time.nanoTime();
            long at = now + (random.nextInt(4) == 0 ? random.nextInt(2_000_000) : random.nextInt(1_000));
            lastCallback = at - lastCallback > 0 ? at : lastCallback;
            handedIn.add(work);
            schedule(
                    callbacks,
                    Duration.ofNanos(lastCallback - now),
                    () -> handedIn.remove().run());
        };
    }

    /** Delays all callbacks that are handed in from now on, as if one callback lasted so long. */
    void keepCallbacksBusy(Duration length) {
        long end = time.nanoTime() + length.toNanos();
        lastCallback = end - lastCallback > 0 ? end : lastCallback;
    }

    /**
     * An executor that runs callbacks one after the other, or on threads of their own in any order, or on the thread
     * that hands them in.
     */
    Executor anyExecutor() {
        return switch (random.nextInt(3)) {
            case 0 -> executor();
            case 1 ->
                work -> {
                    callOut("execute", false);
                    schedule(new Worker(), Duration.ofNanos(random.nextInt(2_000_000)), work);
                };
            default ->
                work -> {
                    callOut("execute", false);
                    work.run();
                };
        };
    }

    /**
     * Makes a blocking call with a timeout. When the call has set the timer for the timeout, everything else goes on
     * until the wait is over.
     */
    <T> T call(Supplier<T> blocking) {
        waiter = preemption.depth();
        try {
            return blocking.get();
        } finally {
            waiter = NOBODY;
        }
    }

    /** Asks the client something; no thread is held up meanwhile. */
    <T> T ask(Supplier<T> question) {
        return preemption.without(question);
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isPaused() {
        return state == State.PAUSED;
    }

    boolean isDead() {
        return state == State.DEAD;
    }

    /** How many tasks are scheduled. */
    int pending() {
        return pending;
    }

    boolean isCut() {
        return cut;
    }

    /** Whether the process runs and is connected. */
    boolean isWell() {
        return isRunning() && !cut;
    }

    void cut() {
        cut = true;
        connection.cut();
    }

    void mend() {
        cut = false;
        connection.mend();
    }

    void pause() {
        state = State.PAUSED;
        connection.pause();
    }

    /** Ends a pause. Tasks that fell due meanwhile run before or after the messages that came over the connection. */
    void resume() {
        state = State.RUNNING;
        boolean networkFirst = random.nextBoolean();
        if (networkFirst) {
            connection.resume();
        }
        for (Task task = due.poll(); task != null; task = due.poll()) {
            task.alarm = time.schedule(Duration.ZERO, task::fallDue);
        }
        if (!networkFirst) {
            connection.resume();
        }
    }

    /** Kills the process. Its session goes on until the server ends it. */
    void kill() {
        state = State.DEAD;
        due.clear();
        connection.pause();
    }

    void expireSessions() {
        connection.expireSessions();
    }
}
