package io.wellkeeper.internal;

import io.wellkeeper.LockLostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The permits that the threads of one client have acquired without a handle, for each semaphore oldest first. What is to
 * be given back is taken out under the lock, and given back without it.
 */
final class PermitPool {

    private final Monitor lock = new Monitor();
    private final Map<String, Deque<Acquisition>> semaphores = new HashMap<>(); // none is empty; guarded by lock

    private static final class Acquisition {

        private final Hold hold;
        private final CompletableFuture<Void> gone = new CompletableFuture<>(); // the store knows that nothing is left
        private int left; // that nobody has taken out; guarded by the pool's lock

        Acquisition(Hold hold) {
            this.hold = hold;
            this.left = hold.permits();
        }
    }

    /**
     * Permits that a thread has taken out and gives back.
     *
     * @param last whether they are the last of their acquisition
     */
    private record Share(Acquisition of, int permits, boolean last) {}

    void add(String semaphore, Hold hold) {
        Acquisition added = new Acquisition(hold);
        lock.lock();
        try {
            semaphores.computeIfAbsent(semaphore, unused -> new ArrayDeque<>()).addLast(added);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives permits back.
     *
     * @param door by which they came
     * @throws IllegalMonitorStateException if there are not so many; nothing is given back
     * @throws LockLostException if some were lost; the rest is given back. Of several acquisitions it tells of the first, and
     *     has the others with it
     */
    void release(String semaphore, int permits, Door door) {
        LockLostException loss = null;
        CompletableFuture<Void> known = CompletableFuture.completedFuture(null);
        for (Share share : takeOut(semaphore, permits)) {
            try {
                known = known.thenCombine(giveBack(share), (none, nothing) -> none);
            } catch (LockLostException lost) {
                if (loss == null) {
                    loss = lost;
                } else {
                    loss.addSuppressed(lost);
                }
            }
        }
        door.awaitRelease(known);
        if (loss != null) {
            throw loss;
        }
    }

    private List<Share> takeOut(String semaphore, int permits) {
        List<Share> shares = new ArrayList<>();
        lock.lock();
        try {
            Deque<Acquisition> acquisitions = semaphores.getOrDefault(semaphore, new ArrayDeque<>());
            long there = acquisitions.stream().mapToLong(one -> one.left).sum();
            if (there < permits) {
                throw new IllegalMonitorStateException("semaphore '" + semaphore + "': " + permits
                        + " permits are to be released, and this client has " + there);
            }
            for (int missing = permits; missing > 0; ) {
                Acquisition oldest = acquisitions.element();
                int some = Math.min(missing, oldest.left);
                oldest.left -= some;
                missing -= some;
                if (oldest.left == 0) {
                    acquisitions.remove();
                }
                shares.add(new Share(oldest, some, oldest.left == 0));
            }
            if (acquisitions.isEmpty()) {
                semaphores.remove(semaphore);
            }
        } finally {
            lock.unlock();
        }
        return shares;
    }

    /** Completes when the store knows. Whoever has the last permits may be faster, and gives back the others with them. */
    private CompletionStage<Void> giveBack(Share share) {
        Acquisition of = share.of;
        if (share.last) {
            return giveBackLast(of);
        }
        try {
            CompletionStage<Void> sent = of.hold.unlockSome(share.permits);
            return isTakenOut(of) ? of.gone : sent;
        } catch (LockLostException lost) {
            throw lost;
        } catch (IllegalMonitorStateException released) {
            return of.gone;
        }
    }

    private static CompletionStage<Void> giveBackLast(Acquisition of) {
        @Nullable CompletionStage<Void> sent = null;
        try {
            sent = of.hold.unlock();
        } finally {
            if (sent == null) {
                of.gone.complete(null);
            } else {
                sent.whenComplete((done, failure) -> of.gone.complete(null));
            }
        }
        return of.gone;
    }

    private boolean isTakenOut(Acquisition one) {
        lock.lock();
        try {
            return one.left == 0;
        } finally {
            lock.unlock();
        }
    }
}
