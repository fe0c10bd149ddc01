package io.wellkeeper.internal;

import io.wellkeeper.LockListener;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fact that one thread or handle holds the lock, nested acquisitions included. */
final class Hold implements Metadata.Subject {

    private enum State {
        HELD,
        RELEASED,
        LOST
    }

    private final Gate gate;
    private final Turn turn;
    private final Side side;
    private final @Nullable Thread owner;
    private final @Nullable OwnerInterrupt interrupt; // if the owner has asked for it
    private final Request request;
    private final long since;
    private final List<Runnable> lossActions = new ArrayList<>(); // guarded by the gate's monitor
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();
    private final List<Registration> attached = new CopyOnWriteArrayList<>();
    private @Nullable OptionalLong token; // guarded by the gate's monitor
    private volatile int permits; // written under the gate's monitor
    private int partsUntold; // partial releases that the listener does not know of; guarded by the gate's monitor
    private @Nullable Runnable endUntold; // waits until the parts are told; guarded by the gate's monitor
    private boolean successor; // others have used the ticket before; written before anybody has the hold
    private int count = 1; // touched by the owner only
    private Supplier<String> reasonOfLoss = () -> ""; // written before state
    private volatile State state = State.HELD; // leaves HELD once, under the gate's monitor

    Hold(Gate gate, Turn turn, Request request, long since) {
        this.gate = gate;
        this.turn = turn;
        this.side = request.side();
        this.owner = request.owner();
        this.request = request;
        this.interrupt =
                owner != null && options().interruptOnLoss() ? new OwnerInterrupt(owner, !request.isPart()) : null;
        this.permits = request.want().permits();
        this.since = since;
    }

    Turn turn() {
        return turn;
    }

    Side side() {
        return side;
    }

    @Override
    public OptionalLong threadId() {
        return request.threadId();
    }

    @Override
    public String threadName() {
        return request.threadName();
    }

    @Override
    public LockOptions options() {
        return request.options();
    }

    LockListener.Acquisition acquisition() {
        return request.acquisition();
    }

    int permits() {
        return permits;
    }

    /** Keeps so many permits. The listener is still to be told that the others were given back. */
    void keep(int left) {
        permits = left;
        partsUntold++;
    }

    /** The listener has been told of a partial release. Returns the end of the hold if it can be told now. */
    @Nullable
    Runnable partTold() {
        partsUntold--;
        return partsUntold == 0 ? endUntold : null;
    }

    /** Whether the end of the hold may be told now; otherwise {@link #partTold} returns it later. */
    boolean mayEnd(Runnable told) {
        if (partsUntold > 0) {
            endUntold = told;
        }
        return partsUntold == 0;
    }

    @Nullable
    Thread owner() {
        return owner;
    }

    long since() {
        return since;
    }

    int count() {
        return count;
    }

    /**
     * Counts one more nested acquisition, if the lock is reentrant.
     *
     * @throws IllegalStateException if its ticket is to be removed by a transaction
     */
    boolean reenter(LockOptions wanted) {
        gate.checkShape(side, wanted);
        refuseIfPassedOn();
        if (wanted.reentrant()) {
            again();
        }
        return wanted.reentrant();
    }

    /** @throws IllegalStateException if its ticket is to be removed by a transaction, and somebody else may be in by now */
    void refuseIfPassedOn() {
        gate.refuseIfLast(turn);
    }

    /** A milder hold for the same thread, on the same ticket. */
    Hold admitBeside(Request milder) {
        return gate.admitBeside(this, milder);
    }

    /** Replaces this hold by a milder one; see {@link Gate#exchange}. */
    Hold exchange(Request milder) {
        return gate.exchange(this, milder);
    }

    private void again() {
        if (count == Integer.MAX_VALUE) {
            throw new Error("Maximum lock count exceeded");
        }
        count++;
    }

    /** Takes off one nested acquisition, and returns how many are left. */
    int less() {
        return --count;
    }

    /** Neither released nor known to be lost. */
    boolean isOpen() {
        return state == State.HELD;
    }

    /** Whether the lock is held for certain. If its time is up, this call notices it and marks the hold as lost. */
    boolean isHeld() {
        if (isOpen()) {
            gate.loseIfGone(turn);
        }
        return isOpen();
    }

    /** The state of this hold, in a word. */
    String standing() {
        return isHeld() ? "held" : state == State.LOST ? "lost" : "released";
    }

    void check() {
        if (!isHeld()) {
            throw exception();
        }
    }

    /** The exception for a caller that uses this hold although it is not held. */
    IllegalMonitorStateException exception() {
        return state == State.LOST
                ? new LockLostException("lock '" + gate.name() + "' was lost: " + reasonOfLoss())
                : new IllegalMonitorStateException("lock '" + gate.name() + "' was released");
    }

    long fencingToken() {
        check();
        OptionalLong known = gate.guarded(() -> {
            if (token == null && isOpen()) {
                token = turn.token();
            }
            return token;
        });
        if (known == null) {
            throw exception();
        }
        return known.orElseThrow(
                () -> new UnsupportedOperationException(gate.describeStore() + " has no honest fencing token"));
    }

    /** See {@link io.wellkeeper.spi.TicketHolder#ticket}. */
    Ticket ticket() {
        check();
        return turn.grant().ticket();
    }

    /** See {@link io.wellkeeper.spi.TicketHolder#expectRemoval}. */
    void expectRemoval() {
        ticket();
        if (count > 1 || !gate.guarded(() -> turn.endWith(this))) {
            throw new IllegalStateException("lock '" + gate.name() + "' is held more than once, or not exclusively");
        }
        turn.grant().expectRemoval();
    }

    Duration remaining() {
        return isHeld()
                ? Duration.ofNanos(Math.max(0, gate.nanosUntil(turn.grant().deadlineNanos())))
                : Duration.ZERO;
    }

    Registration onLost(Runnable action) {
        Runnable registered = action::run; // an object of its own, so that closing twice removes no other registration
        boolean added = gate.guarded(() -> isOpen() && lossActions.add(registered));
        if (added) {
            return () -> gate.guarded(() -> lossActions.remove(registered));
        }
        if (state == State.LOST) {
            gate.callBack(action);
        }
        return Registration.NONE;
    }

    /**
     * Runs an action when this hold is lost, on the thread that notices the loss, or now if it is lost already. So an
     * action that wakes a thread need not wait for the user's callbacks. The action never blocks.
     */
    Registration wakeOnLoss(Runnable wakeUp) {
        wakeUps.add(wakeUp);
        if (state == State.LOST) {
            wakeUp.run();
        }
        return () -> wakeUps.remove(wakeUp);
    }

    /** Runs these actions, because the hold was lost. Called holding no lock. */
    void wake() {
        wakeUps.forEach(Runnable::run);
    }

    /** Ends the last of the nested acquisitions, or any one of them if the hold was lost; see {@link Gate#release}. */
    @Nullable
    CompletionStage<Void> unlock() {
        return gate.release(this, true);
    }

    /**
     * Ends all nested acquisitions at once; {@link #restore} sets their number later. A lost hold must still be
     * unlocked as often as it was acquired.
     *
     * @throws io.wellkeeper.LockLostException if the hold was lost
     */
    @Nullable
    CompletionStage<Void> letGo() {
        return gate.release(this, false);
    }

    /**
     * Gives back some of its permits; see {@link Gate#releaseSome}.
     *
     * @return completes when the store has acknowledged the release; null if nothing was sent
     */
    @Nullable
    CompletionStage<Void> unlockSome(int fewer) {
        return gate.releaseSome(this, fewer);
    }

    /** See {@link Grant#extend}. */
    CompletableFuture<Void> extend(Duration length) {
        return turn.grant().extend(length);
    }

    /** Other holds have used this hold's ticket before. */
    void succeeds() {
        successor = true;
    }

    /** Sets the number of nested acquisitions that there were before the lock was let go for a while. */
    void restore(int nested) {
        count = nested;
    }

    Registration onRevocationRequested(RevocationListener listener) {
        Registration made = turn.grant().onRevocationRequested(listener, !successor, gate::callBack);
        attached.add(made);
        if (!isOpen()) {
            made.close();
        }
        return () -> {
            attached.remove(made);
            made.close();
        };
    }

    /** The hold has ended, by release or loss: its listeners of revocation requests are told nothing more. */
    void detach() {
        attached.forEach(Registration::close);
    }

    void markReleased() {
        state = State.RELEASED;
    }

    /**
     * Marks this hold as lost.
     *
     * @param reason asked anew each time, because more may be known of it later
     * @return the actions that are to be run now
     */
    List<Runnable> markLost(Supplier<String> reason) {
        reasonOfLoss = reason;
        state = State.LOST;
        if (interrupt != null) {
            interrupt.fallDue();
        }
        List<Runnable> actions = List.copyOf(lossActions);
        lossActions.clear();
        return actions;
    }

    /** Interrupts the thread that has lost this hold, if its options ask for that. */
    void interruptOwner() {
        if (interrupt != null) {
            interrupt.deliver();
        }
    }

    /** Called when everything has been acquired that the thread acquires together with this hold. */
    void isWhole() {
        if (interrupt != null) {
            interrupt.want();
        }
    }

    /** Tells the loss of this hold, but not before its acquisition has been told. */
    void tellLoss(Runnable loss) {
        request.tellNext(loss);
    }

    String reasonOfLoss() {
        return reasonOfLoss.get();
    }
}
