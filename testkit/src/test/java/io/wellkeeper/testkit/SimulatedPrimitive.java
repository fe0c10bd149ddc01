package io.wellkeeper.testkit;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** One kind of lock, as a simulation uses and judges it: a plug-in, one object for each simulation. */
interface SimulatedPrimitive {

    /** What a client wants to acquire. */
    record Want(List<String> names, Mode mode, int permits) {}

    /** What it has acquired. */
    interface Holding {

        boolean isHeld();

        /** Throws if it is not held. */
        long token(String name);

        /** Whether it is bound to the thread that runs the schedule, and to be touched by no other. */
        default boolean isOfThread() {
            return false;
        }

        /** Told once if it is lost. */
        void onLost(Runnable told);

        void close();
    }

    /**
     * What a holder does besides closing.
     *
     * @param ends whether what it had has become something else
     * @param want what that will be; empty if nothing comes of it
     */
    record Change(String what, boolean ends, Optional<Want> want, CompletableFuture<Optional<Holding>> answer) {

        /** It becomes something else. */
        static Change to(String what, Want want, CompletableFuture<Optional<Holding>> answer) {
            return new Change(what, true, Optional.of(want), answer);
        }

        /** Whether it is the same acquisition, of which something is left. */
        boolean isOf(Holding before) {
            return answer.isDone()
                    && !answer.isCompletedExceptionally()
                    && answer.join().filter(before::equals).isPresent();
        }

        /** It stays what it is, and must not be closed before this is done. */
        static Change keeps(String what, CompletableFuture<?> done) {
            return new Change(what, false, Optional.empty(), done.handle((value, failure) -> Optional.empty()));
        }
    }

    Want choose(SplittableRandom random, List<String> names);

    /** @param timeout empty to wait for as long as it takes */
    CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout);

    /** Whether one ticket may serve several grants, one after the other. */
    default boolean isHandedOver() {
        return true;
    }

    /** Whether what is changed has less and less while that goes on, so that nobody can say how much it is meanwhile. */
    default boolean changesInPlace() {
        return false;
    }

    /** Whether there is a way of acquiring for a thread, which waits for it. */
    default boolean hasThreads() {
        return false;
    }

    /**
     * Acquires for the calling thread, which waits for it.
     *
     * @param timeout for how long at most
     * @return empty if that was in vain
     */
    default Optional<Holding> acquireByThread(LockClient client, Want want, LockOptions options, Duration timeout) {
        return Optional.empty();
    }

    /** Acquires something milder beside what is held, again and again; the token of each. */
    default List<Long> acquireBeside(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        return List.of();
    }

    /** Does something with what is held; throws if it is lost. Empty if there is nothing to do but to close it. */
    default Optional<Change> change(
            SplittableRandom random, LockClient client, Want want, Holding holding, LockOptions options) {
        return Optional.empty();
    }

    /** Does, at the end, what those who still wait are waiting for. */
    default void comfort(LockClient client, List<String> names, LockOptions options) {}

    /** The bound: whether these may be inside at once. */
    boolean tolerates(String name, List<Want> inside);

    /** The order: whether those ahead let this one in; judged by the living alone. */
    boolean admits(String name, Ticket mine, List<Ticket> ahead);

    /** The order the other way round: whether this one is in for certain, or soon. */
    default boolean mustBeIn(String name, Ticket mine, List<Ticket> ahead) {
        return admits(name, mine, ahead);
    }

    /**
     * The tokens: whether a grant may have this one.
     *
     * @param last the largest that is remembered of this name
     * @param lastWhenAsked the largest that was remembered when the client began to acquire
     */
    default boolean tokenMayFollow(Want want, long last, long lastWhenAsked, long token) {
        return token > last;
    }

    default boolean isTokenRemembered(Want want) {
        return true;
    }
}
