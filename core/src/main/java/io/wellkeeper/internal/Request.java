package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call that wants the lock, from the call until its outcome is known. */
final class Request implements Metadata.Subject {

    /** An outcome that is neither a hold nor an exception. */
    enum No {
        /** The lock is not free and the call does not wait, or its time has passed. */
        REFUSED,
        /** The caller was interrupted. */
        INTERRUPTED,
        /** The caller has cancelled the call. */
        CANCELLED
    }

    /** An outcome that is an exception; each caller is thrown an instance of its own. */
    record Failure(Supplier<RuntimeException> exception) {}

    private static final Runnable TOLD = () -> {};

    private final Side side;
    private final LockListener.Acquisition acquisition;
    private final Want want;
    private final @Nullable Thread owner; // the thread that will own the hold; null for a handle
    private final boolean mayWait;
    private final LockOptions options;
    private final long since;
    private final String threadName; // the owner's, also if another thread asks
    private final @Nullable Thread waiter;
    private final @Nullable Consumer<Request> callback;
    private @Nullable Gate gate; // the gate it was submitted to
    private long submitted; // the time of this; written with the gate; a multi-lock may have tried before
    private volatile Registration alarm = Registration.NONE;
    private volatile @Nullable Object outcome; // written once, under the gate's monitor
    private volatile boolean told; // the listener has been told of the outcome, so that the caller may know it
    private @Nullable Attempt attempt; // its own attempt, if there is one; guarded by the gate's monitor
    private boolean contended; // guarded by the gate's monitor, and settled with the outcome
    private final AtomicBoolean meeting = new AtomicBoolean(); // one of two threads has been here; see outcomeIsKnown
    private final AtomicReference<@Nullable Runnable> next = new AtomicReference<>(); // what to tell after the outcome

    private Request(
            String name,
            Side side,
            Want want,
            @Nullable Thread owner,
            boolean mayWait,
            LockOptions options,
            long since,
            @Nullable Thread waiter,
            @Nullable Consumer<Request> callback) {
        this.side = side;
        this.acquisition = new LockListener.Acquisition(name, side.told(), want.permits(), options.labels());
        this.want = want;
        this.owner = owner;
        this.threadName = (owner == null ? Thread.currentThread() : owner).getName();
        this.mayWait = mayWait;
        this.options = options;
        this.since = since;
        this.waiter = waiter;
        this.callback = callback;
    }

    /** For a caller that parks until the outcome is known. */
    static Request blocking(
            String name,
            Side side,
            Want want,
            @Nullable Thread owner,
            boolean mayWait,
            LockOptions options,
            long since) {
        return new Request(name, side, want, owner, mayWait, options, since, Thread.currentThread(), null);
    }

    /** For a caller that is called back, on any thread. */
    static Request async(
            String name,
            Side side,
            Want want,
            @Nullable Thread owner,
            boolean mayWait,
            LockOptions options,
            long since,
            Consumer<Request> callback) {
        return new Request(name, side, want, owner, mayWait, options, since, null, callback);
    }

    Side side() {
        return side;
    }

    /** What the listener is told of this request. */
    LockListener.Acquisition acquisition() {
        return acquisition;
    }

    /** The exception to throw to the caller, a new one at each call; null if there is none. */
    @Nullable
    RuntimeException exception() {
        return outcome instanceof Failure failure ? failure.exception().get() : null;
    }

    /** Why the request has failed. */
    LockListener.Outcome failure() {
        if (outcome == No.REFUSED) {
            return mayWait ? LockListener.Outcome.TIMED_OUT : LockListener.Outcome.BUSY;
        }
        if (outcome == No.INTERRUPTED) {
            return LockListener.Outcome.INTERRUPTED;
        }
        return outcome == No.CANCELLED ? LockListener.Outcome.CANCELLED : LockListener.Outcome.FAILED;
    }

    Want want() {
        return want;
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    /** Whether its thread acquires several locks together, so that no thread waits for this one alone. */
    boolean isPart() {
        return owner != null && waiter == null;
    }

    boolean mayWait() {
        return mayWait;
    }

    @Override
    public LockOptions options() {
        return options;
    }

    long since() {
        return since;
    }

    @Override
    public OptionalLong threadId() {
        Thread standing = waiter != null ? waiter : owner;
        return standing == null ? OptionalLong.empty() : OptionalLong.of(standing.getId());
    }

    @Override
    public String threadName() {
        return threadName;
    }

    @Nullable
    Object outcome() {
        return outcome;
    }

    void decide(Object result) {
        outcome = result;
    }

    /** The hold, empty if there is none, or the exception. */
    static Optional<Hold> read(Object outcome) {
        if (outcome instanceof Failure failure) {
            throw failure.exception().get();
        }
        return outcome instanceof Hold hold ? Optional.of(hold) : Optional.empty();
    }

    void submittedTo(Gate to, long now) {
        this.gate = to;
        this.submitted = now;
    }

    long submitted() {
        return submitted;
    }

    /** The alarm that ends the wait. */
    void alarm(Registration set) {
        alarm = set;
        if (isDecided()) {
            set.close();
        }
    }

    void endAlarm() {
        alarm.close();
    }

    void timeOut() {
        Objects.requireNonNull(gate).timeOut(this);
    }

    /** Leaves the queue, for this reason; false if the outcome is known already. */
    boolean withdraw(No reason) {
        boolean withdrawn = Objects.requireNonNull(gate).withdraw(this, reason);
        if (withdrawn) {
            endAlarm();
        }
        return withdrawn;
    }

    boolean isDecided() {
        return outcome != null;
    }

    @Nullable
    Attempt attempt() {
        return attempt;
    }

    void attempt(Attempt own) {
        this.attempt = own;
    }

    /** Whether the request is known to wait for another holder. */
    boolean isContended() {
        return contended;
    }

    /** Notes that the request waits. True only the first time, and not when the outcome is known. */
    boolean beginContended() {
        boolean first = !contended && !isDecided();
        contended |= first;
        return first;
    }

    /**
     * The outcome is known. If the request was contended, two threads tell the listener: one that it waits, the other
     * how this ends. Neither waits for the other; the second one tells the end.
     *
     * @return whether the current thread is to tell the outcome
     */
    boolean outcomeIsKnown() {
        return !contended || meeting.getAndSet(true);
    }

    /**
     * The listener has been told that the request is contended.
     *
     * @return whether the current thread is to tell the outcome, too, because it {@linkplain #outcomeIsKnown is known} by now
     */
    boolean contentionIsTold() {
        return meeting.getAndSet(true);
    }

    /** Tells a loss after the acquisition: at once if that has been told, and otherwise by the thread that tells it. */
    void tellNext(Runnable loss) {
        if (!next.compareAndSet(null, loss)) {
            loss.run();
        }
    }

    /** The listener has been told of the outcome. */
    void outcomeIsTold() {
        Runnable loss = next.getAndSet(TOLD);
        if (loss != null) {
            loss.run();
        }
    }

    /** Tells the caller that the outcome is known; the listener has been told. */
    void signal() {
        told = true;
        if (waiter != null) {
            LockSupport.unpark(waiter);
        } else if (callback != null) {
            callback.accept(this);
        }
    }

    /**
     * Parks until {@link #signal}, not only until the outcome is known, or until the thread is interrupted.
     *
     * @return false if interrupted first; the interrupt status is then cleared
     */
    boolean await() {
        while (!told) {
            if (Thread.interrupted()) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }
}
