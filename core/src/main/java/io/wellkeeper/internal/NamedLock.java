package io.wellkeeper.internal;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketHolder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One side of a {@link Gate} for threads: what a thread holds, how often, and what it may acquire besides. */
final class NamedLock implements DistributedLock, TicketHolder {

    private static final String READS = "this thread holds the read lock, and cannot become the writer by it:"
            + " release the read lock, acquire the write lock, and look again at what was read";

    private final String name;
    private final Side side;
    private final LockOptions options;
    private final AbstractClient client;
    private final Door<LockHandle> door;
    private final AtomicInteger conditions = new AtomicInteger();

    NamedLock(String name, Side side, LockOptions options, AbstractClient client) {
        this.name = name;
        this.side = side;
        this.options = options;
        this.client = client;
        this.door = new Door<>(client, name, side, side.want(), options, Handle::new);
    }

    @Override
    public String name() {
        return name;
    }

    AbstractClient client() {
        return client;
    }

    Door<LockHandle> door() {
        return door;
    }

    @Override
    public void lock() {
        if (!enterAtOnce(true)) {
            door.enter(request(true));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Door.throwIfInterrupted();
        if (!enterAtOnce(true)) {
            door.enterInterruptibly(request(true));
        }
    }

    @Override
    public boolean tryLock() {
        return enterAtOnce(false)
                || (!waitsForItself() && door.tryEnter(request(false)).isPresent());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = Futures.nanos(time, unit);
        Door.throwIfInterrupted();
        if (enterAtOnce(false)) {
            return true;
        }
        if (waitsForItself()) {
            return false;
        }
        return door.tryEnter(request(nanos > 0), nanos).isPresent();
    }

    private Request request(boolean mayWait) {
        return door.request(Thread.currentThread(), mayWait);
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        refuseUpgrade();
        return door.acquire();
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        return upgradesFromRead() ? Optional.empty() : door.tryAcquire();
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration timeout) throws InterruptedException {
        return upgradesFromRead() ? Optional.empty() : door.tryAcquire(timeout);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync() {
        return door.acquireAsync();
    }

    @Override
    public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(Duration timeout) {
        return door.tryAcquireAsync(timeout);
    }

    /**
     * Acquires without the store, if that is possible: again if this thread holds this side already, or the read lock
     * beside its write lock.
     *
     * @param wouldWait whether the caller would wait if this fails
     * @throws IllegalStateException if the thread would then wait for itself
     */
    boolean enterAtOnce(boolean wouldWait) {
        Hold hold = mineOrNull();
        if (hold != null) {
            checkNotLost(hold);
            if (hold.reenter(options)) {
                return true;
            }
            refuseIf(wouldWait, "it is not reentrant, and this thread holds it");
            return false;
        }
        Hold stronger = side == Side.READ ? holdOf(Side.WRITE) : null;
        if (stronger != null) {
            checkNotLost(stronger);
            stronger.admitBeside(door.request(Thread.currentThread(), false));
            return true;
        }
        if (wouldWait) {
            refuseUpgrade();
        }
        return false;
    }

    /**
     * Whether this thread must release a lock before it can acquire this one, after {@link #enterAtOnce} has failed.
     */
    boolean waitsForItself() {
        return mineOrNull() != null || upgradesFromRead();
    }

    /** Whether this is the write lock and this thread only reads, so that it would wait for itself. */
    boolean upgradesFromRead() {
        return side == Side.WRITE && holdOf(Side.READ) != null && holdOf(Side.WRITE) == null;
    }

    /** @throws IllegalStateException if this thread {@linkplain #upgradesFromRead would wait for itself} */
    void refuseUpgrade() {
        refuseIf(upgradesFromRead(), READS);
    }

    private static void checkNotLost(Hold hold) {
        if (!hold.isHeld()) {
            throw new LockLostException("this thread must unlock before it can acquire again: "
                    + hold.exception().getMessage());
        }
    }

    private void refuseIf(boolean wouldWait, String why) {
        if (wouldWait) {
            throw new IllegalStateException("lock '" + name + "': " + why + "; it would wait for itself");
        }
    }

    @Override
    public void unlock() {
        door.awaitRelease(release());
    }

    /** As {@link #unlock()}, but leaves it to the caller to wait for the store's reply; null if there will be none. */
    @Nullable
    CompletionStage<Void> release() {
        Hold hold = mine();
        if (hold.isHeld() && hold.count() > 1) {
            hold.less();
            return null;
        }
        return hold.unlock();
    }

    @Override
    public DistributedCondition newCondition() {
        return newCondition(Integer.toString(conditions.getAndIncrement()));
    }

    @Override
    public DistributedCondition newCondition(String conditionName) {
        return switch (side) {
            case LOCK, WRITE -> client.condition(this, conditionName);
            default -> throw new UnsupportedOperationException("a read lock has no conditions");
        };
    }

    /** The hold with which this thread may wait for a condition: an exclusive one, with no read lock beside it. */
    Hold holdToWaitWith() {
        Hold hold = mine();
        hold.check();
        if (holdOf(Side.READ) != null) {
            throw new IllegalStateException("lock '" + name + "': this thread holds the read lock too, which it would"
                    + " keep while it waits, so that nobody could signal it");
        }
        return hold;
    }

    /**
     * Acquires the lock for this thread once more.
     *
     * @param nested how often the thread held the lock before it released it, and is to hold it again
     */
    Hold lockAgain(int nested) {
        lock();
        Hold again = mine();
        again.restore(nested);
        return again;
    }

    @Override
    public long fencingToken() {
        return mine().fencingToken();
    }

    @Override
    public Ticket ticket() {
        return mine().ticket();
    }

    @Override
    public void expectRemoval() {
        mine().expectRemoval();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    /** Whether this thread still has to unlock this lock, be it held or lost. */
    boolean isOwnedByCurrentThread() {
        return mineOrNull() != null;
    }

    @Override
    public int getHoldCount() {
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

    @Override
    public Registration onRevocationRequested(RevocationListener listener) {
        Hold hold = mine();
        hold.check();
        return hold.onRevocationRequested(listener);
    }

    /** The hold of this thread, which it may have lost and not yet unlocked. */
    private @Nullable Hold mineOrNull() {
        return holdOf(side);
    }

    private @Nullable Hold holdOf(Side any) {
        Gate gate = client.gateInUse(name);
        return gate == null ? null : gate.holdOf(Thread.currentThread(), any);
    }

    private Hold mine() {
        Hold hold = mineOrNull();
        if (hold == null) {
            throw new IllegalMonitorStateException("lock '" + name + "' is not held by this thread");
        }
        return hold;
    }

    /** Whether the calling thread holds this lock, in words. */
    String standing() {
        Hold hold = mineOrNull();
        return (hold == null ? "not held" : hold.standing()) + " by this thread";
    }

    @Override
    public String toString() {
        return client.describe(DistributedLock.class, side.of(name), standing());
    }
}
