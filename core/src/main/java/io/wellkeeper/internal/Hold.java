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

/** That somebody has the lock: one grant to one thread or handle, nested acquisitions included. */
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
    private int partsUntold; // given back, and the listener does not know it; guarded by the gate's monitor
    private @Nullable Runnable endUntold; // waits for the parts; guarded by the gate's monitor
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

    /** Keeps so many. That the others were given back, the listener is still to be told. */
    void keep(int left) {
        permits = left;
        partsUntold++;
    }

    /** The listener has been told that some permits were given back; what is to be told now, if that was waited for. */
    @Nullable
    Runnable partTold() {
        partsUntold--;
        return partsUntold == 0 ? endUntold : null;
    }

    /** Whether the end may be told now; otherwise {@link #partTold} returns it when it may. */
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
     * Counts one more, if this lock lets a thread in twice.
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

    /** This gives way to a milder one; see {@link Gate#exchange}. */
    Hold exchange(Request milder) {
        return gate.exchange(this, milder);
    }

    private void again() {
        if (count == Integer.MAX_VALUE) {
            throw new Error("Maximum lock count exceeded");
        }
        count++;
    }

    /** Takes one of the nested holds off; what is left. */
    int less() {
        return --count;
    }

    /** Neither released nor known to be lost. */
    boolean isOpen() {
        return state == State.HELD;
    }

    /** Whether the lock is held for certain. If its time is up that is noticed here, and for good. */
    boolean isHeld() {
        if (isOpen()) {
            gate.loseIfGone(turn);
        }
        return isOpen();
    }

    /** What has become of it, in a word. */
    String standing() {
        return isHeld() ? "held" : state == State.LOST ? "lost" : "released";
    }

    void check() {
        if (!isHeld()) {
            throw exception();
        }
    }

    /** What to tell the one who uses this though it is not held. */
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
        Runnable registered = action::run; // an object of its own, so that closing twice takes nobody else's out
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
     * Has something run at its loss by whoever notices that, or now if it has been lost: what wakes a thread need not wait for
     * the user's callbacks. It never blocks.
     */
    Registration wakeOnLoss(Runnable wakeUp) {
        wakeUps.add(wakeUp);
        if (state == State.LOST) {
            wakeUp.run();
        }
        return () -> wakeUps.remove(wakeUp);
    }

    /** It has been lost. Called holding no lock. */
    void wake() {
        wakeUps.forEach(Runnable::run);
    }

    /** Ends the last of the nested holds, or one of those that were lost; see {@link Gate#release}. */
    @Nullable
    CompletionStage<Void> unlock() {
        return gate.release(this, true);
    }

    /**
     * Ends all of the nested holds, to have as many again later; what was lost remains to be unlocked as often.
     *
     * @throws io.wellkeeper.LockLostException if it was lost
     */
    @Nullable
    CompletionStage<Void> letGo() {
        return gate.release(this, false);
    }

    /**
     * Gives back some of its permits; see {@link Gate#releaseSome}.
     *
     * @return what to await if the store's word is wanted; null if nothing was sent
     */
    @Nullable
    CompletionStage<Void> unlockSome(int fewer) {
        return gate.releaseSome(this, fewer);
    }

    /** See {@link Grant#extend}. */
    CompletableFuture<Void> extend(Duration length) {
        return turn.grant().extend(length);
    }

    /** Others have used its ticket before. */
    void succeeds() {
        successor = true;
    }

    /** As often as it was acquired before it was let go for a while. */
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

    /** It has ended, one way or the other: nobody is told anything more. */
    void detach() {
        attached.forEach(Registration::close);
    }

    void markReleased() {
        state = State.RELEASED;
    }

    /**
     * It is lost.
     *
     * @param reason asked whenever somebody wants to know, because more of it may be known later
     * @return what is to be run now
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

    /** Wakes the thread that has lost it from whatever it waits for, if it has asked for that. */
    void interruptOwner() {
        if (interrupt != null) {
            interrupt.deliver();
        }
    }

    /** All that its thread acquires together with it has been acquired. */
    void isWhole() {
        if (interrupt != null) {
            interrupt.want();
        }
    }

    /** Tells of its loss, but not before its acquisition has been told. */
    void tellLoss(Runnable loss) {
        request.tellNext(loss);
    }

    String reasonOfLoss() {
        return reasonOfLoss.get();
    }
}
