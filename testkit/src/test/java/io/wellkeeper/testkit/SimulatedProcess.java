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
 * The process of one client: its clock, its timers, its callbacks and its connection, which stop together when it is
 * paused, and come to nothing when it is killed. Single-threaded.
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
    private final Deque<Runnable> handedIn = new ArrayDeque<>(); // to the executor, and not yet run
    private final Deque<Task> due = new ArrayDeque<>(); // while it was paused
    private State state = State.RUNNING;
    private boolean cut;
    private int waiter = NOBODY; // how deep the user's thread is that waits for whatever it schedules
    private int pending;
    private int lateness; // of alarms, in nanoseconds, at most
    private long lastCallback;

    /**
     * @param bug what the store does wrong
     * @param wrong told what the client does that it must not do
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

    /** A thread, which does one thing after the other, though it may be held up in the midst of one. */
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

    /** Over the same connection. */
    LeaseStore leases() {
        return SimulatedCalls.of(new InMemoryLeaseStore(connection), this);
    }

    void expireLeases() {
        new InMemoryLeaseStore(connection).expireLeases();
    }

    boolean owns(Slip slip) {
        return slip.owner().link == connection.link();
    }

    /** Whether it was taken by this process, which knows that it is void if it has come back with an older state. */
    boolean hasTaken(Slip slip) {
        return slip.owner().beginner == connection.link();
    }

    /** Whether the server has ever ended a session of it. */
    boolean hasLostSession() {
        return connection.link().hasLostSession();
    }

    /**
     * One of its threads calls something outside, which it must not do under a monitor; it may be held up.
     *
     * @param delicate whether it matters much what happens just then
     */
    void callOut(String what, boolean delicate) {
        mustHoldNoMonitor(what);
        moment(delicate);
    }

    /** One of its threads calls something outside, which it must not do under a monitor. */
    void mustHoldNoMonitor(String what) {
        if (!Monitor.noneHeld()) {
            wrong.accept(what + " is called under a monitor");
        }
    }

    /**
     * One of its threads may be held up.
     *
     * @param delicate whether it matters much what happens just then
     */
    void moment(boolean delicate) {
        preemption.moment(this, delicate);
    }

    @Override
    public long nanoTime() {
        moment(false);
        return time.nanoTime();
    }

    /** From now on alarms come late by so many nanoseconds at most, as those do of a client that has many. */
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

    /** The user's thread waits for an answer, which comes, or its time passes. */
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

    /** Of a client in this process; what it sends at closing goes on under way. */
    ClientOptions.Builder options(Duration session) {
        return ClientOptions.builder()
                .sessionTimeout(session)
                .closeTimeout(Duration.ZERO)
                .time(this)
                .callbackExecutor(executor());
    }

    /** Callbacks come one after the other, each a little late, and in their order also when the process was paused. */
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

    /** One callback lasts so long, and the others come behind it. */
    void keepCallbacksBusy(Duration length) {
        long end = time.nanoTime() + length.toNanos();
        lastCallback = end - lastCallback > 0 ? end : lastCallback;
    }

    /** Callbacks come one after the other, or on threads of their own in any order, or on that of whoever hands them in. */
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
     * Makes a call that waits for a limited time: when it has set the alarm for that, all else goes on until the wait is
     * over.
     */
    <T> T call(Supplier<T> blocking) {
        waiter = preemption.depth();
        try {
            return blocking.get();
        } finally {
            waiter = NOBODY;
        }
    }

    /** Asks the client for something, during which it is not held up. */
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

    /** Runs, and is connected. */
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

    /** What has fallen due meanwhile is run, in whatever order with what has come over the connection. */
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

    /** It vanishes; its session goes on until the server ends it. */
    void kill() {
        state = State.DEAD;
        due.clear();
        connection.pause();
    }

    void expireSessions() {
        connection.expireSessions();
    }
}
